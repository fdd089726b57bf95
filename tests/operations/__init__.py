"""Drivers of random operations: `python -m tests.operations [--operations N] [--seed N] [--against plain|afresh]`.

A script is a list of operations, each a name and two whole numbers from which everything else follows. Two drivers interpret it:

* In two processes, one with compiled kernels and bounds checks and one in plain Python, with the state hash compared after every operation.
* In one process, where the long-lived world is compared with one that is built afresh from what can be read off it, by the bits of the next
  tick.

`machine` has both as state machines of Hypothesis, which print the failing script and shrink it.
"""
