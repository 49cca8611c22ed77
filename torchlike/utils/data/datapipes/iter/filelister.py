"""The pipe of paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe
from torchlike.utils.data.datapipes.utils.common import get_file_pathnames_from_root, no_length

__all__ = ["FileListerIterDataPipe"]


@functional_datapipe("list_files")
class FileListerIterDataPipe(IterDataPipe):
    """A pipe of the paths of the files in folders. Its method is `list_files`.

    Args:
      root: the folder, or several folders, or a pipe of folders.
      masks: a pattern of file names, or a list of patterns.
      recursive: whether to list the folders in the folders too.
      abspath: whether to yield absolute paths.
      non_deterministic: whether to keep the order of the file system. By default, names are sorted.
      length: the length of the pipe. By default, it has none.

    >>> list(FileListerIterDataPipe(__file__, "*.csv"))
    []
    """

    def __init__(
        self,
        root: str | Sequence[str] | IterDataPipe = ".",
        masks: str | list[str] = "",
        *,
        recursive: bool = False,
        abspath: bool = False,
        non_deterministic: bool = False,
        length: int = -1,
    ) -> None:
        super().__init__()
        roots = [root] if isinstance(root, str) else root
        self.datapipe = roots if isinstance(roots, IterDataPipe) else IterableWrapperIterDataPipe(roots)
        self.masks = masks
        self.recursive = recursive
        self.abspath = abspath
        self.non_deterministic = non_deterministic
        self.length = length

    def __iter__(self) -> Iterator[str]:
        for path in self.datapipe:
            yield from get_file_pathnames_from_root(
                path, self.masks, self.recursive, self.abspath, self.non_deterministic
            )

    def __len__(self) -> int:
        if self.length == -1:
            raise no_length(self)
        return self.length
