"""Pure functions of arrays: what is computed on a block of rows, and nothing else.

Invariants of every function here: arrays in, arrays out; nothing is validated, nothing is written
to an input, nothing random happens.  They are written against the array-API standard, so NumPy,
PyTorch and CuPy arrays all pass; what the standard lacks is in :mod:`labelief.kernels.namespace`.

Axes are ``(rows, classes or components)``.  Products return arrays whose *columns* are contiguous
(the transpose of a row-major product), because what follows reduces over a handful of classes and
runs along rows.
"""
