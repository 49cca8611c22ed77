"""The nested tensors of layout strided, and the rules of their operators."""
