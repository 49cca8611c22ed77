"""Leave out the tests of notebooks where Jupyter is not installed: `pip install ipykernel nbclient`."""

import importlib.util

needed = ("ipykernel", "nbclient")
collect_ignore = [] if all(map(importlib.util.find_spec, needed)) else ["test_entering_notebook.py"]
