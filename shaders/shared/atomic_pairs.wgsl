// Atomics of 64 bits: the words of the atomics once more, as pairs. They are for programs that use them, on devices that have them.

@group(0) @binding(ATOMIC_PAIRS_BINDING) var<storage, read_write> atomic_pairs: array<atomic<u64>>;

// Whether there is a pair at a word of the atomics.
fn has_atomic_pair(place: u32) -> bool {
    return (place & 1u) == 0u && (place | 1u) < launch.atomic_words;
}
