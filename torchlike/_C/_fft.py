"""A module for `torch._C._fft`. `_api/pickled_names.py` adds the functions that pickles name."""
