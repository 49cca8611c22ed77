"""The names of `torch._C._linalg`: functions (`_api/pickled_names.py`)."""
