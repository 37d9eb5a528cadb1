#include "guest.h"

int main(int argc, char **argv) {
    uint32_t start = argc > 1 ? parse(argv[1]) : 1;
    uint32_t longest = 0, best = 0;
    uint64_t highest = 0;
    for (uint32_t i = 0; i < 16; i++) {
        uint64_t n = start + i + 1;
        uint32_t steps = 0;
        while (n != 1) {
            n = n & 1 ? n * 3 + 1 : n >> 1;
            if (n > highest) highest = n;
            steps++;
        }
        if (steps > longest) {
            longest = steps;
            best = start + i + 1;
        }
    }
    number(best);
    text(" takes ");
    number(longest);
    text(" steps, highest ");
    hex(highest, 16);
    put('\n');
    return (int)(longest & 63);
}
