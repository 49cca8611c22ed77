"""A context manager that libraries enter around `vmap`."""


class TransformGetItemToIndex:
    """A context manager without effect.

    In PyTorch it permits a batched scalar as an index, which torchlike always accepts.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
