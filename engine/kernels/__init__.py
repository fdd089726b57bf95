"""The compiled mathematics: scalars, tuples and arrays in, arrays out; no classes, no options.

The same source runs compiled by numba and as plain Python where numba is missing or switched off.

What was settled, and the measurement behind it (AMD EPYC server part, AVX-512, numba 0.68, one thread):

* One array, a component a row, a body a column (`layout`). A tick of `RungeKutta4` in angular momentum over 1000 bodies takes 17 ns a
  body so; the same loop over an array in which a body is a row takes 116 ns, because nothing vectorises.
* A loop is made for one row pitch, a compile-time constant, and refuses an array of another (`loops`). Knowing the pitch is all the
  compiler needs to prove that rows do not overlap.
* Scalar functions on tuples (`vectors`, `quaternions`, one file a method) are forced inline; the tuples vanish. Method, stage and game
  mode reach them as constants closed over by the loop, so that what a stage does not need is never compiled.
* Strict float64 with no reordering, and no library sine, cosine or power: the same bits for a body alone or among a thousand.
"""
