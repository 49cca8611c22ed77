"""A module for `torch._C._special`. `_api/pickled_names.py` adds the functions that pickles name."""
