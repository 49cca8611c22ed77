"""The pipe that decodes files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import _deprecation_warning, length_of
from torchlike.utils.data.datapipes.utils.decoder import Decoder, basichandlers, extension_extract_fn, imagehandler

__all__ = ["RoutedDecoderIterDataPipe"]


@functional_datapipe("routed_decode")
class RoutedDecoderIterDataPipe(IterDataPipe):
    """A pipe of pairs of a path and the decoded file. Its method is `routed_decode`. It is deprecated.

    Args:
      datapipe: a pipe of pairs of a path and a binary stream.
      *handlers: functions of a key and data, the most important first. Default: basic handlers, and images as tensors.
      key_fn: the function that returns the key of a path. Default: the extension.

    >>> import io, warnings
    >>> warnings.simplefilter("ignore")
    >>> list(RoutedDecoderIterDataPipe([("a.txt", io.BytesIO(b"text"))]))
    [('a.txt', 'text')]
    """

    def __init__(self, datapipe: Any, *handlers: Callable, key_fn: Callable[[str], str] = extension_extract_fn) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.decoder = Decoder(*(handlers or (basichandlers, imagehandler("torch"))), key_fn=key_fn)
        _deprecation_warning(
            type(self).__name__,
            deprecation_version="1.12",
            removal_version="1.13",
            old_functional_name="routed_decode",
        )

    def add_handler(self, *handler: Callable) -> None:
        """Add handlers before the others.

        Args:
          *handler: functions of a key and data.
        """
        self.decoder.add_handler(*handler)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for data in self.datapipe:
            path = data[0]
            yield path, self.decoder(data)[path]

    def __len__(self) -> int:
        return length_of(self, self.datapipe)
