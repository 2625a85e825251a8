"""Functions element by element: arithmetic, comparisons, mathematical and special functions, complex numbers."""
