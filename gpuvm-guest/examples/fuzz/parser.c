// A calculator of one line, with a mistake: `cell(n)` looks whether n is too large, but not whether it is negative.
// aarch64-linux-gnu-gcc -O1 -fno-omit-frame-pointer -static -nostdlib -ffreestanding -fno-tree-vectorize -fno-stack-protector -Wl,--build-id=none
//   -Wl,-z,max-page-size=4096 -Wl,-z,noseparate-code parser.c -o parser.aarch64 && aarch64-linux-gnu-objcopy --strip-debug --remove-section=.comment parser.aarch64
#include "../../tests/c/guest.h"

static char line[128];
static const char *at;
static int wrong;
static long cells[16];

static long sum(int depth);

static void skip(void) {
    while (*at == ' ')
        at++;
}

static int take(char c) {
    skip();
    if (*at != c)
        return 0;
    at++;
    return 1;
}

static long number_of(void) {
    long n = 0;
    while (*at >= '0' && *at <= '9')
        n = n * 10 + (*at++ - '0');
    return n;
}

__attribute__((noinline)) static long cell(long n) {
    if (n >= 16) {
        wrong = 1;
        return 0;
    }
    return cells[n];
}

__attribute__((noinline)) static long name(int depth) {
    if (*at == 'c') {
        at++;
        if (*at == 'e') {
            at++;
            if (*at == 'l') {
                at++;
                if (*at == 'l') {
                    at++;
                    if (take('(')) {
                        long n = sum(depth + 1);
                        if (take(')'))
                            return cell(n);
                    }
                }
            }
        }
    } else if (*at == 'n') {
        at++;
        if (*at == 'o') {
            at++;
            if (*at == 't') {
                at++;
                return ~sum(depth + 1);
            }
        }
    }
    wrong = 1;
    return 0;
}

__attribute__((noinline)) static long primary(int depth) {
    skip();
    if (depth > 20) {
        wrong = 1;
        return 0;
    }
    if (*at == '-') {
        at++;
        return -primary(depth + 1);
    }
    if (*at == '(') {
        at++;
        long value = sum(depth + 1);
        if (!take(')'))
            wrong = 1;
        return value;
    }
    if (*at >= '0' && *at <= '9')
        return number_of();
    return name(depth);
}

__attribute__((noinline)) static long product(int depth) {
    long value = primary(depth);
    for (;;) {
        if (take('*'))
            value *= primary(depth);
        else if (take('/')) {
            long by = primary(depth);
            if (by == 0)
                wrong = 1;
            else
                value /= by;
        } else
            return value;
    }
}

__attribute__((noinline)) static long sum(int depth) {
    long value = product(depth);
    for (;;) {
        if (take('+'))
            value += product(depth);
        else if (take('-'))
            value -= product(depth);
        else
            return value;
    }
}

int main(int argc, char **argv) {
    (void)argc, (void)argv;
    unsigned length = input(line, sizeof line - 1);
    line[length] = 0;
    at = line;
    for (int i = 0; i < 16; i++)
        cells[i] = i * i;
    long value = sum(0);
    skip();
    if (*at != 0 && *at != '\n')
        wrong = 1;
    if (wrong) {
        text("wrong\n");
        return 1;
    }
    number((uint32_t)value);
    text("\n");
    return 0;
}
