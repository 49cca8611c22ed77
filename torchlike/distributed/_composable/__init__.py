"""Composable functions: they change modules in place instead of wrapping them."""
