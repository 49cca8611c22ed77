"""Objects of Python and NumPy as data of tensors, numbers, indices and sizes."""
