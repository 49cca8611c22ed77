"""Exclude the programs: they are scripts that `python -m torchlike` runs."""

collect_ignore = ["programs"]
