// Products of matrices of floats, sums, roots and conversions, told by their bits.
#include "guest.h"

#if defined(__riscv) && __riscv_xlen == 32
typedef float wide;
#define BITS 8
#else
typedef double wide;
#define BITS 16
#endif

#define N 12

static float a[N][N], b[N][N], c[N][N];
static wide d[N][N];

static uint64_t bits(wide x) {
    union { wide f; uint64_t u; } u;
    u.u = 0;
    u.f = x;
    return u.u;
}

static wide root(wide x) {
    wide r;
#if defined(__riscv) && __riscv_xlen == 32
    __asm__("fsqrt.s %0, %1" : "=f"(r) : "f"(x));
#elif defined(__riscv)
    __asm__("fsqrt.d %0, %1" : "=f"(r) : "f"(x));
#else
    __asm__("fsqrt %d0, %d1" : "=w"(r) : "w"(x));
#endif
    return r;
}

int main(int argc, char **argv) {
    uint32_t state = argc > 1 ? parse(argv[1]) * 2654435761u + 1 : 1;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            a[i][k] = (float)(int32_t)next_random(&state) / 65536.0f;
            b[i][k] = (float)(next_random(&state) >> 8) * 0.001f;
        }
    wide trace = 0, most = 0;
    uint32_t sum = 0;
    int negative = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            float s = 0;
            wide t = 0;
            for (int j = 0; j < N; j++) {
                s += a[i][j] * b[j][k];
                t += (wide)a[i][j] * (wide)b[j][k];
            }
            c[i][k] = s;
            d[i][k] = t;
            if (t > most) most = t;
            negative += s < 0;
            sum = sum * 31 + (uint32_t)(int32_t)(s / 1000.0f);
        }
    for (int i = 0; i < N; i++) trace += d[i][i] - (wide)c[i][i];
    hex(bits(trace), BITS);
    put(' ');
    hex(bits(root(most)), BITS);
    put(' ');
    hex(sum, 8);
    put(' ');
    number((uint32_t)negative);
    put(' ');
    number((uint32_t)root(most));
    put('\n');
    return 0;
}
