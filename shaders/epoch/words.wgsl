// The general words where they lie: a kernel of the epoch engine touches the few that its instructions name.

fn word(index: u32) -> u32 {
    return states[row(ROW_WORDS + index)];
}

// What is no word, as the spare, is not written.
fn set_word(index: u32, value: u32) {
    if index < WORDS {
        states[row(ROW_WORDS + index)] = value;
    }
}
