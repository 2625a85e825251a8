"""Operators: one row each in `table`, called through `call`, spelled as functions by family."""
