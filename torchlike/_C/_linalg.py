"""A module for `torch._C._linalg`. `_api/pickled_names.py` adds the functions that pickles name."""
