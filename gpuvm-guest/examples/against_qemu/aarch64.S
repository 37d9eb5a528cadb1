// Reads registers, runs sixteen instructions, and writes registers, until there is nothing to read. First are x0 to x31, then v0 to v31, then nzcv, fpcr and fpsr; memory follows.
    .equ SIZE, 32 * 8 + 32 * 16 + 32 + 256
    .globl _start
_start:
    ldr x28, =registers
again:
    mov x0, 0
    mov x1, x28
    mov x2, SIZE
    mov x8, 63
    svc 0
    cmp x0, SIZE
    b.ne done
    ldr x0, [x28, 768]
    msr nzcv, x0
    ldr x0, [x28, 776]
    msr fpcr, x0
    ldr x0, [x28, 784]
    msr fpsr, x0
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ldr q\n, [x28, 256 + 16 * \n]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,29,30
    ldr x\n, [x28, 8 * \n]
    .endr
    .rept 16
    nop
    .endr
    nop
    nop
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,29,30
    str x\n, [x28, 8 * \n]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    str q\n, [x28, 256 + 16 * \n]
    .endr
    mrs x0, nzcv
    str x0, [x28, 768]
    mrs x0, fpcr
    str x0, [x28, 776]
    mrs x0, fpsr
    str x0, [x28, 784]
    mov x0, 1
    mov x1, x28
    mov x2, SIZE
    mov x8, 64
    svc 0
    b again
done:
    mov x0, 0
    mov x8, 93
    svc 0
    .bss
    .balign 16
registers:
    .skip SIZE
