"""Compilation of kernels with numba, their identity, their cache on disk, and the process that compiles them in the background."""
