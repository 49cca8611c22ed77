"""Linear algebra: products, decompositions and linear systems."""
