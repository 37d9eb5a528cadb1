#include "guest.h"

static uint32_t table[256];
static char bytes[4096];

int main(int argc, char **argv) {
    (void)argv;
    unsigned count = input(bytes, sizeof bytes);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    uint32_t crc = ~0u, bitwise = ~0u;
    uint64_t fnv = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)bytes[i];
        crc = table[(crc ^ byte) & 255] ^ crc >> 8;
        bitwise ^= byte;
        for (int k = 0; k < 8; k++) bitwise = bitwise >> 1 ^ (0xedb88320u & -(bitwise & 1));
        fnv = (fnv ^ byte) * 0x100000001b3u;
    }
    if (crc != bitwise) return 1;
    number(count);
    put(' ');
    hex(~crc, 8);
    put(' ');
    hex(fnv, 16);
    put('\n');
    return argc > 1 ? 7 : 0;
}
