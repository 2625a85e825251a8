"""Tensors and what is not a tensor: host data of any kind, NumPy's protocols."""
