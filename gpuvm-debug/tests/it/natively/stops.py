"""Steps through the functions of `constructs.rs` by gdb, and prints where each step stops and with which values.

Run by `cargo xtask native-stops`, which compiles the functions without `gpuvm` and without optimisation.
"""

import os
import struct

import gdb

FILE = "constructs.rs"


def words(value):
    """A value in a form that the test makes of a VM's as well: of numbers the bits."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_BOOL:
        return "true" if value else "false"
    if kind.code == gdb.TYPE_CODE_INT:
        return str(int(value))
    if kind.code == gdb.TYPE_CODE_FLT:
        form = "<f" if kind.sizeof == 4 else "<d"
        return "#" + struct.pack(form, float(value)).hex()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        first, last = kind.range()
        return "[" + ",".join(words(value[i]) for i in range(first, last + 1)) + "]"
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        fields = [field for field in kind.fields() if not field.artificial]
        name = (kind.name or "").split("::")[-1]
        if "Option" in (kind.name or "") or name == "Shape":
            return None
        parts = [words(value[field]) for field in fields]
        if None in parts:
            return None
        return "(" + ",".join(parts) + ")"
    return None


def variables(frame):
    """The variables in scope that have a value by their line, innermost first."""
    found = {}
    line = frame.find_sal().line
    block = frame.block()
    while block is not None:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in found:
                continue
            # One that its own line makes has no value yet.
            if not symbol.is_argument and symbol.line >= line:
                continue
            try:
                text = words(symbol.value(frame))
            except gdb.error:
                text = None
            if text is not None:
                found[symbol.name] = text
        if block.function is not None:
            break
        block = block.superblock
    return found


def is_ours(frame):
    table = frame.find_sal().symtab
    return table is not None and table.filename.endswith(FILE)


def depth(frame):
    count = 0
    while frame is not None and (frame.name() or "").split("::")[-1] != "main":
        count += is_ours(frame)
        frame = frame.older()
    return count


def step():
    gdb.execute("step", to_string=True)
    # Into the standard library, which nobody wants to see.
    for _ in range(50):
        frame = gdb.selected_frame()
        if is_ours(frame) or (frame.name() or "").split("::")[-1] == "main":
            return
        # `finish` shows what is returned, which gdb cannot of everything.
        gdb.execute("tbreak *%d" % frame.older().pc(), to_string=True)
        gdb.execute("continue", to_string=True)


for setting in ("pagination off", "confirm off", "print pretty off", "language rust"):
    gdb.execute("set " + setting)
for crate in ("core", "alloc", "std"):
    gdb.execute("skip -rfu ^<?" + crate + "::", to_string=True)
with open(os.environ["STOPS"], "w") as out:
    for name in os.environ["PROGRAMS"].split(","):
        gdb.execute("break natively::" + name, to_string=True)
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid != 0:
        frame = gdb.selected_frame()
        # Whichever program has begun.
        gdb.execute("disable", to_string=True)
        name = frame.name().split("::")[-1]
        seed = int(frame.read_var("seed"))
        out.write("%s %d\n" % (name, seed))
        while is_ours(gdb.selected_frame()):
            frame = gdb.selected_frame()
            shown = " ".join("%s=%s" % pair for pair in sorted(variables(frame).items()))
            function = frame.name().split("::")[-1]
            out.write("  %d %s %d %s\n" % (depth(frame), function, frame.find_sal().line, shown))
            step()
        gdb.execute("enable", to_string=True)
        gdb.execute("continue", to_string=True)
gdb.execute("quit")
