"""Exclude the programs: they are scripts that import libraries that the checks do not install."""

collect_ignore = ["programs", "faults/training.py"]
