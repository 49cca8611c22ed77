"""Functions of linear algebra."""
