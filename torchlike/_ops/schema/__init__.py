"""Operator declarations, and the typing rules, argument binding and plans derived from them."""
