"""The largest error of each function of `f64`, in ulp, of what `examples/double.rs` writes; needs mpmath.

With an argument, the number of lines to keep of each function, writes the correctly rounded results instead, as `tests/double.txt` has them.
"""
import struct
import sys

from mpmath import mp, mpf
import mpmath

mp.prec = 160


def value(bits):
    return struct.unpack(">d", int(bits, 16).to_bytes(8, "big"))[0]


def bits(x):
    return struct.unpack(">Q", struct.pack(">d", x))[0]


HUGE, TINY = mpf(2) ** 1100, mpf(2) ** -1200
FAR = mpf(1200)


def bounded(f):
    """For what grows like e^x, so that no number of a million digits is made."""
    return lambda x: f(max(-FAR, min(FAR, x)))


def power(x, y):
    if x < 0 and y != mpmath.floor(y):
        return None
    size = y * mp.log(abs(x))
    sign = -1 if x < 0 and mpmath.floor(y) % 2 == 1 else 1
    if abs(size) > 1000:
        return sign * (HUGE if size > 0 else TINY)
    with mp.workprec(260):
        return sign * mp.exp(y * mp.log(abs(x)))


def inside(low, high, f):
    return lambda x: f(x) if low < x < high else None


INF = mpf("inf")


def log(x, base):
    if x <= 0 or base <= 0 or base == 1:
        return None
    with mp.workprec(300):
        return mp.log(x) / mp.log(base)


def asinh(x):
    with mp.workprec(160 + max(0, -2 * int(mp.log(abs(x), 2)) if x else 0)):
        return mp.asinh(x)


REFERENCE = {
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan,
    "asin": inside(-1, 1, mp.asin), "acos": inside(-1, 1, mp.acos), "atan": mp.atan,
    "sinh": bounded(mp.sinh), "cosh": bounded(mp.cosh), "tanh": bounded(mp.tanh),
    "asinh": asinh, "acosh": inside(1, INF, mp.acosh), "atanh": inside(-1, 1, mp.atanh),
    "exp": bounded(mp.exp), "exp2": bounded(lambda x: mpf(2) ** x), "exp_m1": bounded(mp.expm1),
    "ln": inside(0, INF, mp.log), "ln_1p": inside(-1, INF, mp.log1p), "log2": inside(0, INF, lambda x: mp.log(x, 2)),
    "log10": inside(0, INF, lambda x: mp.log(x, 10)), "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "atan2": mp.atan2, "hypot": mp.hypot, "powf": power, "powi": power, "log": log,
}


def rounded(exact):
    """The nearest double, halves to even; mpmath itself rounds subnormal numbers twice."""
    if exact == 0:
        return 0.0
    exponent = max(mpmath.frexp(exact)[1] - 53, -1074)
    scaled = mp.nint(mp.ldexp(exact, -exponent))
    if abs(scaled) >= mpf(2) ** 1024 / mpf(2) ** exponent:
        return float("inf") if exact > 0 else float("-inf")
    return float(mp.ldexp(scaled, exponent))


def error(got, exact):
    nearest = rounded(exact)
    if got != got:
        return float("inf")
    if nearest in (float("inf"), float("-inf")) or got in (float("inf"), float("-inf")):
        if nearest == got:
            return 0.0
        if nearest in (float("inf"), float("-inf")):
            exact = mpf(2) ** 1024 * mp.sign(exact)
        else:
            got = mpf(2) ** 1024 * (1 if got > 0 else -1)
    exponent = max(mpmath.frexp(mpf(nearest) if abs(nearest) != float("inf") else mpf(2) ** 1023)[1] - 53, -1074) \
        if nearest else -1074
    return float(abs(mpf(got) - exact) / mpf(2) ** exponent)


def main():
    keep = int(sys.argv[1]) if len(sys.argv) > 1 else None
    worst, counts = {}, {}
    for line in sys.stdin:
        name, *words = line.split()
        *arguments, got = map(value, words)
        if any(x != x or abs(x) == float("inf") for x in arguments):
            continue
        exact = REFERENCE[name](*map(mpf, arguments))
        if exact is None:
            continue
        counts[name] = counts.get(name, 0) + 1
        if keep is not None:
            if counts[name] <= keep:
                print(name, *words[:-1], f"{bits(rounded(exact)):x}")
            continue
        found = error(got, exact)
        if name not in worst or found > worst[name][0]:
            worst[name] = (found, arguments, got)
    for name, (found, arguments, got) in worst.items():
        print(f"{name:7} {found:.4f} ulp of {counts[name]} at {arguments}, {got!r}", flush=True)


main()
