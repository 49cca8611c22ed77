"""Views, and copies of other shapes."""
