// `qsort` and `bsearch` with comparisons that are called by pointer, over records.
#include "guest.h"

#define COUNT 24

struct record {
    uint16_t key;
    int8_t sign;
    uint64_t weight;
    char name[5];
};

typedef int (*comparison)(const void *, const void *);

static struct record records[COUNT];

static void swap(char *a, char *b, size_t size) {
    while (size--) {
        char t = *a;
        *a++ = *b;
        *b++ = t;
    }
}

static void sift(char *base, size_t root, size_t count, size_t size, comparison compare) {
    for (;;) {
        size_t child = root * 2 + 1;
        if (child >= count) return;
        if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0) child++;
        if (compare(base + root * size, base + child * size) >= 0) return;
        swap(base + root * size, base + child * size, size);
        root = child;
    }
}

__attribute__((noinline)) static void qsort(void *base, size_t count, size_t size, comparison compare) {
    for (size_t i = count / 2; i-- > 0;) sift(base, i, count, size, compare);
    for (size_t end = count; end-- > 1;) {
        swap(base, (char *)base + end * size, size);
        sift(base, 0, end, size, compare);
    }
}

static int by_key(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_weight(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->sign - y->sign;
}

static int by_name(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    for (int i = 0; i < 5; i++)
        if (x->name[i] != y->name[i]) return x->name[i] - y->name[i];
    return by_key(a, b);
}

static const comparison ways[] = {by_key, by_weight, by_name};

int main(int argc, char **argv) {
    uint32_t state = argc > 1 ? parse(argv[1]) * 2654435761u + 1 : 1;
    for (int i = 0; i < COUNT; i++) {
        struct record *r = &records[i];
        r->key = (uint16_t)next_random(&state);
        r->sign = (int8_t)next_random(&state);
        r->weight = (uint64_t)(next_random(&state) & 3) << 40 | (next_random(&state) & 3);
        for (int k = 0; k < 5; k++) r->name[k] = 'a' + next_random(&state) % 3;
    }
    for (int way = 0; way < 3; way++) {
        volatile int chosen = way;
        qsort(records, COUNT, sizeof *records, ways[chosen]);
        uint32_t sum = 0;
        for (int i = 0; i < COUNT; i++) {
            if (i > 0 && ways[way](&records[i - 1], &records[i]) > 0) return 1;
            if (way != 1) sum = sum * 31 + records[i].key;
            sum = sum * 7 + (uint32_t)records[i].weight + (uint32_t)records[i].sign * (way == 1);
        }
        hex(sum, 8);
        put(way == 2 ? '\n' : ' ');
    }
    return 0;
}
