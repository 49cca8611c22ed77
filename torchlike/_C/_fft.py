"""The names of `torch._C._fft`: functions (`_api/pickled_names.py`)."""
