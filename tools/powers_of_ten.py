#!/usr/bin/python3
"""Writes src/core/powers_of_ten.c: the first 128 binary digits of the powers of ten that numbers
are printed and read by, rounded up."""

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


print("/* Powers of ten, written by tools/powers_of_ten.py (powers_of_ten.h). */")
print('#include "core/powers_of_ten.h"\n')
print("/* clang-format off */")
print("const uint64_t gbs_powers_of_ten[GBS_MOST_POWER - GBS_LEAST_POWER + 1][2] = {")
for k in range(LEAST, MOST + 1):
    g = power(k)
    assert 1 << 127 < g < 1 << 128 and g & (1 << 64) - 1
    print(f"    {{0x{g >> 64:016x}, 0x{g & (1 << 64) - 1:016x}}},")
print("};\n/* clang-format on */")
