// The spaces of memory, of which the program's data is only read. What lies outside of them traps the VM and reads as 0.

struct Address {
    space: u32,
    offset: u32,
    // How many words of frame memory it may lead to.
    frame_words: u32,
}

fn load(at: Address) -> u32 {
    if at.space == SPACE_ARENA && at.offset - launch.arena_start < launch.arena_words {
        return arena[at.offset];
    }
    if at.space == SPACE_FRAME && frame_word(at.offset) < at.frame_words {
        return frames[row(frame_word(at.offset))];
    }
    if at.space == SPACE_ATOMIC && at.offset < launch.atomic_words {
        return atomicLoad(&atomics[at.offset]);
    }
    if at.space == SPACE_DATA && at.offset < constants[0] {
        return constants[at.offset + 1u];
    }
    fault(FAULT_MEMORY, at.offset);
    return 0u;
}

fn store(at: Address, value: u32) {
    if at.space == SPACE_ARENA && at.offset - launch.arena_start < launch.arena_words {
        arena[at.offset] = value;
    } else if at.space == SPACE_FRAME && frame_word(at.offset) < at.frame_words {
        frames[row(frame_word(at.offset))] = value;
    } else if at.space == SPACE_ATOMIC && at.offset < launch.atomic_words {
        atomicStore(&atomics[at.offset], value);
    } else {
        fault(FAULT_MEMORY, at.offset);
    }
}
