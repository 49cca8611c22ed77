"""View operators, and operators that copy elements into another shape."""
