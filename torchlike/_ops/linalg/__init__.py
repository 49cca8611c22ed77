"""Products, decompositions and linear systems."""
