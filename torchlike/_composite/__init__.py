"""Functions that are composed of operators, by subject."""
