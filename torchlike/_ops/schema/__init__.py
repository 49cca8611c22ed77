"""The declaration of operators, and what is derived from it."""
