#!/usr/bin/python3
"""Writes src/core/powers_of_ten.h: the first 128 binary digits of the powers of ten that
src/core/shortest.c multiplies by, rounded up."""

LEAST, MOST = -292, 324


def power(k):
    """floor(10^k 2^-r) + 1 with r such that it has 128 binary digits."""
    up, down = (10 ** k, 1) if k >= 0 else (1, 10 ** -k)
    r = up.bit_length() - down.bit_length() - 128
    for shift in (r, r + 1):
        digits = up // (down << shift) if shift >= 0 else (up << -shift) // down
        if digits < 1 << 128:
            return digits + 1
    raise AssertionError


print("/* Powers of ten, written by tools/powers_of_ten.py: 10^k in 128 binary digits, rounded up, for k")
print(f" * from {LEAST} to {MOST}; high and low half. */")
print("#ifndef GIBBSITE_CORE_POWERS_OF_TEN_H\n#define GIBBSITE_CORE_POWERS_OF_TEN_H\n")
print("#include <stdint.h>\n")
print(f"enum {{ GBS_LEAST_POWER = {LEAST}, GBS_MOST_POWER = {MOST} }};\n")
print("/* clang-format off */")
print("static const uint64_t powers_of_ten[GBS_MOST_POWER - GBS_LEAST_POWER + 1][2] = {")
for k in range(LEAST, MOST + 1):
    g = power(k)
    assert 1 << 127 <= g < 1 << 128
    print(f"    {{0x{g >> 64:016x}, 0x{g & (1 << 64) - 1:016x}}},")
print("};\n/* clang-format on */\n\n#endif")
