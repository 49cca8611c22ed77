"""A mode that libraries enter around `vmap`."""


class TransformGetItemToIndex:
    """Within it PyTorch lets a mapped number be an index; here it always may."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
