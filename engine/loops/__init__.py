"""Loops over all bodies, which run the scalar functions of the methods and forces on the arrays of a world.

Design decisions, with the measurement behind each (AMD EPYC server processor, AVX-512, numba 0.68, one thread):

* All bodies share one array with one row per component and one column per body (`layout`). With this layout, a tick of `RungeKutta4` in
  angular momentum over 1000 bodies takes 17 ns per body. With one row per body, the same loop takes 116 ns per body, because it does not
  vectorise.
* Each fast loop is compiled for one row pitch and rejects arrays of any other pitch. A constant pitch is all that the compiler needs to
  prove that rows do not overlap.
* The method, the stage and game mode are constants in the closure of the loop, so that code that a stage does not need is not compiled.
"""
