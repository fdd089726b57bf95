"""The compiled mathematics, in functions of scalars, tuples and arrays.

The functions use no classes and no options. Numba compiles the source. If numba is missing or disabled, the same source runs as plain
Python.

Design decisions, with the measurement behind each (AMD EPYC server processor, AVX-512, numba 0.68, one thread):

* All bodies share one array with one row per component and one column per body (`layout`). With this layout, a tick of `RungeKutta4` in
  angular momentum over 1000 bodies takes 17 ns per body. With one row per body, the same loop takes 116 ns per body, because it does not
  vectorise.
* Each loop is compiled for one row pitch and rejects arrays of any other pitch (`loops`). A constant pitch is all that the compiler needs
  to prove that rows do not overlap.
* Scalar functions on tuples (`vectors`, `quaternions`, one file per method) are always inlined, so that the tuples disappear. The method,
  the stage and game mode are constants in the closure of the loop, so that code that a stage does not need is not compiled.
* Arithmetic is strict float64 without reordering, and no sine, cosine or power comes from a library. A body therefore gets the same bits
  whether it is alone or one of a thousand.
"""
