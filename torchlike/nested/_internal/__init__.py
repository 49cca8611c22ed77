"""The nested tensors of layout jagged, and the rules of their operators."""
