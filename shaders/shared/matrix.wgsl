// Application of a matrix to the words, from either form of storage. All rows read the words as they were before.

// The new words of the rows that the matrix has, but for the last of a sparse one.
var<private> staged: array<u32, 32>;

fn apply(format: u32, offset: u32, size: u32) {
    var rows = 0u;
    if USES_SPARSE && format == FORMAT_SPARSE {
        rows = stage_sparse(offset, size);
    } else if USES_DENSE {
        rows = stage_dense(offset);
    }
    while rows != 0u {
        let row = countTrailingZeros(rows);
        set_word(row, staged[row]);
        rows &= rows - 1u;
        inner += 1u;
    }
}

// A word times a float coefficient; ±1 is not multiplied, so that a NaN's or zero's sign is flipped and nothing else.
fn float_product(coefficient: u32, word: u32) -> u32 {
    if (coefficient & ~SIGN) == 0x3f800000u {
        return word ^ (coefficient & SIGN);
    }
    return fmul(coefficient, word);
}

// Sparse: two words a term. The first holds row (5 bits), column (5), rotation (5), ring (2), whether it is the row's first and last
// term (1 each); the second is the coefficient. Writes the last row, and returns which others there are.
fn stage_sparse(offset: u32, terms: u32) -> u32 {
    var rows = 0u;
    var sum = 0u;
    for (var i = 0u; i < terms; i++) {
        let term = constants[offset + 2u * i];
        let coefficient = constants[offset + 2u * i + 1u];
        let row = term & 31u;
        let column = (term >> COLUMN_SHIFT) & 31u;
        let constant = column == COLUMN_CONSTANT;
        let ring = (term >> RING_SHIFT) & 3u;
        let first = (term & TERM_FIRST) != 0u;
        let word = word(column);
        if ring == RING_INTEGER {
            sum = select(sum, 0u, first) + coefficient * select(word, 1u, constant);
        } else if ring == RING_BITS {
            sum = select(sum, 0u, first) ^ (coefficient & select(rotl(word, term >> ROTATION_SHIFT), 0xffffffffu, constant));
        } else {
            let product = select(float_product(coefficient, word), coefficient, constant);
            sum = select(fadd(sum, product), product, first);
        }
        if i + 1u == terms {
            // Nothing reads the words any more.
            set_word(row, sum);
        } else if (term & TERM_LAST) != 0u {
            staged[row] = sum;
            rows |= 1u << row;
        }
        inner += 1u;
    }
    return rows;
}

// Dense: a mask of the rows, then each row as its ring and all its coefficients, in the layout of the core's `dense` module.
fn stage_dense(offset: u32) -> u32 {
    let rows = constants[offset];
    var at = offset + 1u;
    for (var left = rows; left != 0u; left &= left - 1u) {
        let row = countTrailingZeros(left);
        let ring = constants[at];
        at += 1u;
        if ring == RING_INTEGER {
            staged[row] = dense_integer(at);
            at += WORDS + 1u;
        } else if ring == RING_BITS {
            staged[row] = dense_bits(at);
            at += WORDS * 32u + 1u;
        } else {
            staged[row] = dense_float(at);
            at += 2u * (WORDS + 1u);
        }
        inner += 1u;
    }
    return rows;
}

fn dense_integer(at: u32) -> u32 {
    var sum = constants[at + WORDS];
    for (var i = 0u; i < WORDS; i++) {
        sum += constants[at + i] * word(i);
        inner += 1u;
    }
    return sum;
}

// 32 masks a word, one for each rotation of it. Eight at a time, to keep the loop short.
fn dense_bits(at: u32) -> u32 {
    var sum = constants[at + WORDS * 32u];
    for (var i = 0u; i < WORDS * 4u; i++) {
        let x = rotl(word(i >> 2u), (i & 3u) * 8u);
        let masks = at + i * 8u;
        sum ^= constants[masks] & x;
        sum ^= constants[masks + 1u] & rotl(x, 1u);
        sum ^= constants[masks + 2u] & rotl(x, 2u);
        sum ^= constants[masks + 3u] & rotl(x, 3u);
        sum ^= constants[masks + 4u] & rotl(x, 4u);
        sum ^= constants[masks + 5u] & rotl(x, 5u);
        sum ^= constants[masks + 6u] & rotl(x, 6u);
        sum ^= constants[masks + 7u] & rotl(x, 7u);
        inner += 1u;
    }
    return sum;
}

// Pairs of column and coefficient in order of evaluation, up to the first empty one.
fn dense_float(at: u32) -> u32 {
    var sum = 0u;
    for (var i = 0u; i <= WORDS && constants[at + 2u * i] != DENSE_EMPTY; i++) {
        let column = constants[at + 2u * i];
        let coefficient = constants[at + 2u * i + 1u];
        var product = coefficient;
        if column != DENSE_CONSTANT {
            product = float_product(coefficient, word(column & 31u));
        }
        if i == 0u {
            sum = product;
        } else {
            sum = fadd(sum, product);
        }
        inner += 1u;
    }
    return sum;
}
