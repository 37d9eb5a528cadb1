# Reads registers, runs sixteen instructions, and writes registers, until there is nothing to read. The first registers are x0 to x31, then f0 to f31, then fcsr; memory follows.
    .equ SIZE, 32 * 8 + 32 * 8 + 8 + 256
    .globl _start
_start:
    la s0, registers
again:
    li a0, 0
    mv a1, s0
    li a2, SIZE
    li a7, 63
    ecall
    li a1, SIZE
    bne a0, a1, done
    ld x1, 512(s0)
    fscsr x1
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\n, 256 + 8 * \n (s0)
    .endr
    .irp n, 1,2,3,4,5,6,7,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld x\n, 8 * \n (s0)
    .endr
    .option norvc
    .rept 16
    .word 0x00000013
    .endr
    .word 0x00000013
    .word 0x00000013
    .option rvc
    .irp n, 1,2,3,4,5,6,7,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd x\n, 8 * \n (s0)
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\n, 256 + 8 * \n (s0)
    .endr
    frcsr x1
    sd x1, 512(s0)
    li a0, 1
    mv a1, s0
    li a2, SIZE
    li a7, 64
    ecall
    j again
done:
    li a0, 0
    li a7, 93
    ecall
    .bss
    .balign 16
registers:
    .skip SIZE
