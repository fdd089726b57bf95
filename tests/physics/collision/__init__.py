"""Tests of the kernels that find where shapes touch."""
