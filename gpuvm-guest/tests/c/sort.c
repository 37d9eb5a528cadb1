#include "guest.h"

static int32_t list[256];

static void quick(int32_t *a, int low, int high) {
    while (low < high) {
        int32_t pivot = a[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                int32_t t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        if (j - low < high - i) {
            quick(a, low, j);
            low = i;
        } else {
            quick(a, i, high);
            high = j;
        }
    }
}

int main(int argc, char **argv) {
    uint32_t state = argc > 1 ? parse(argv[1]) * 2654435761u + 1 : 1;
    uint32_t sum = 0;
    for (int i = 0; i < 256; i++) list[i] = (int32_t)next_random(&state);
    quick(list, 0, 255);
    for (int i = 0; i < 256; i++) {
        if (i > 0 && list[i - 1] > list[i]) return 1;
        sum = sum * 31 + (uint32_t)list[i];
        sum ^= (uint32_t)(list[i] / (int32_t)(i + 1)) + (uint32_t)list[i] % (uint32_t)(i + 3);
    }
    text("sorted ");
    hex(sum, 8);
    text("\n");
    return 0;
}
