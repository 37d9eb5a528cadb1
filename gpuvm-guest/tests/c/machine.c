// A stack machine whose program computes primes, run by a `switch`.
#include "guest.h"

enum { PUSH, LOAD, STORE, ADD, SUB, MUL, MOD, LESS, EQUAL, JUMP, BRANCH, PRINT, STOP, LOAD_AT, STORE_AT };

enum { N, D, PRIME, FOUND, LIMIT };

static int32_t code[128];
static unsigned emitted;

static void one(int32_t operation) { code[emitted++] = operation; }

static void two(int32_t operation, int32_t operand) {
    one(operation);
    one(operand);
}

// Leaves the place that says where to go on if the top of the stack is 0.
static unsigned branch(void) {
    two(BRANCH, 0);
    return emitted - 1;
}

static void assemble(void) {
    two(PUSH, 2), two(STORE, N);
    int32_t outer = (int32_t)emitted;
    two(LOAD, N), two(LOAD, LIMIT), one(LESS);
    unsigned end = branch();
    two(PUSH, 2), two(STORE, D), two(PUSH, 1), two(STORE, PRIME);
    int32_t inner = (int32_t)emitted;
    two(LOAD, D), two(LOAD, D), one(MUL), two(LOAD, N), two(PUSH, 1), one(ADD), one(LESS);
    unsigned done = branch();
    two(LOAD, N), two(LOAD, D), one(MOD), two(PUSH, 0), one(EQUAL);
    unsigned other = branch();
    two(PUSH, 0), two(STORE, PRIME);
    code[other] = (int32_t)emitted;
    two(LOAD, D), two(PUSH, 1), one(ADD), two(STORE, D), two(JUMP, inner);
    code[done] = (int32_t)emitted;
    two(LOAD, PRIME);
    unsigned composite = branch();
    two(LOAD, N), two(LOAD, FOUND), one(STORE_AT);
    two(LOAD, FOUND), two(PUSH, 1), one(ADD), two(STORE, FOUND);
    code[composite] = (int32_t)emitted;
    two(LOAD, N), two(PUSH, 1), one(ADD), two(STORE, N), two(JUMP, outer);
    code[end] = (int32_t)emitted;
    one(PRINT), one(STOP);
}

static int32_t globals[8], stack[64], memory[512];

int main(int argc, char **argv) {
    unsigned ip = 0, sp = 0, steps = 0;
    assemble();
    globals[LIMIT] = argc > 1 ? (int32_t)(parse(argv[1]) % 50) + 10 : 100;
    for (;; steps++) {
        if (ip >= emitted || sp > 60 || (sp < 2 && code[ip] >= ADD && code[ip] <= EQUAL)) return 2;
        switch (code[ip++]) {
        case PUSH: stack[sp++] = code[ip++]; break;
        case LOAD: stack[sp++] = globals[code[ip++]]; break;
        case STORE: globals[code[ip++]] = stack[--sp]; break;
        case ADD: sp--; stack[sp - 1] += stack[sp]; break;
        case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
        case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
        case MOD: sp--; stack[sp - 1] %= stack[sp]; break;
        case LESS: sp--; stack[sp - 1] = stack[sp - 1] < stack[sp]; break;
        case EQUAL: sp--; stack[sp - 1] = stack[sp - 1] == stack[sp]; break;
        case JUMP: ip = code[ip]; break;
        case BRANCH: if (stack[--sp] == 0) ip = code[ip]; else ip++; break;
        case LOAD_AT: stack[sp - 1] = memory[stack[sp - 1] & 511]; break;
        case STORE_AT: sp -= 2; memory[stack[sp + 1] & 511] = stack[sp]; break;
        case PRINT: {
            uint32_t sum = 0;
            for (int i = 0; i < 512; i++) sum = sum * 33 + (uint32_t)memory[i];
            number((uint32_t)globals[FOUND]);
            put(' ');
            hex(sum, 8);
            put(' ');
            number(steps);
            put('\n');
            break;
        }
        default: return 0;
        }
    }
}
