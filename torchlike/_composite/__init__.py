"""Functions that are made of operators, by subject."""
