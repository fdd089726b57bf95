"""The compiled mathematics, in scalar functions of numbers and tuples.

The functions use no classes and no options. Numba compiles the source. If numba is missing or disabled, the same source runs as plain
Python. Functions on tuples (`vectors`, `quaternions`, the formulas of the methods) are always inlined, so that the tuples disappear.

Arithmetic is strict float64 without reordering, and no sine, cosine or power comes from a library. A body therefore gets the same bits
whether it is alone or one of a thousand.
"""
