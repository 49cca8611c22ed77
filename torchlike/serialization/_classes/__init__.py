"""PyTorch's classes, besides tensors and storages, whose objects files may contain."""
