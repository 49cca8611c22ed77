"""Functions that return views or change the shape."""
