"""The templates of statements, by kind."""
