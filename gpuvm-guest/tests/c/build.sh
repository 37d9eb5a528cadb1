#!/bin/sh
# Makes the programs of `../data/c` and what they are to give. Debian: apt-get install gcc-riscv64-linux-gnu gcc-aarch64-linux-gnu qemu-user python3
set -eu
cd "$(dirname "$0")"
to=../data/c
mkdir -p "$to"
flags="-O2 -static -nostdlib -ffreestanding -fno-tree-vectorize -fno-stack-protector -Wall -Wextra -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,-z,noseparate-code"
for program in sort crc collatz json sha256 machine callbacks matrix; do
    float32=""
    if [ $program = matrix ]; then float32=f; fi
    riscv64-linux-gnu-gcc -march=rv32ima${float32}c -mabi=ilp32$float32 -Wl,-melf32lriscv $flags $program.c -o "$to/$program.riscv32"
    riscv64-linux-gnu-gcc -march=rv64gc -mabi=lp64d $flags $program.c -o "$to/$program.riscv64"
    aarch64-linux-gnu-gcc $flags $program.c -o "$to/$program.aarch64"
    for machine in riscv32 riscv64 aarch64; do
        riscv64-linux-gnu-objcopy --strip-debug --remove-section=.comment --remove-section=.riscv.attributes "$to/$program.$machine" 2>/dev/null ||
            aarch64-linux-gnu-objcopy --strip-debug --remove-section=.comment "$to/$program.$machine"
    done
done
# A line each: program, machine, argument, code, output.
python3 expected.py > "$to/expected.txt"
