// The spaces of memory, of which the program's data is only read. What lies outside of them traps the VM and reads as 0.

fn load(space: u32, offset: u32) -> u32 {
    if space == SPACE_ARENA && offset - launch.arena_start < launch.arena_words {
        return arena[offset];
    }
    if space == SPACE_FRAME && frame_word(offset) < launch.frame_words {
        return frames[row(frame_word(offset))];
    }
    if space == SPACE_ATOMIC && offset < launch.atomic_words {
        return atomicLoad(&atomics[offset]);
    }
    if space == SPACE_DATA && offset < constants[0] {
        return constants[offset + 1u];
    }
    fault(FAULT_MEMORY, offset);
    return 0u;
}

fn store(space: u32, offset: u32, value: u32) {
    if space == SPACE_ARENA && offset - launch.arena_start < launch.arena_words {
        arena[offset] = value;
    } else if space == SPACE_FRAME && frame_word(offset) < launch.frame_words {
        frames[row(frame_word(offset))] = value;
    } else if space == SPACE_ATOMIC && offset < launch.atomic_words {
        atomicStore(&atomics[offset], value);
    } else {
        fault(FAULT_MEMORY, offset);
    }
}
