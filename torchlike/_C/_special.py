"""The names of `torch._C._special`: functions (`_api/pickled_names.py`)."""
