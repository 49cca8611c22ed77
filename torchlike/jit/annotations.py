"""TorchScript's annotation types. `BroadcastingListN` means a number, or a list of N numbers."""

from typing import Any
from typing import Dict as Dict  # noqa: UP035 - programs import the former names from here
from typing import List as List  # noqa: UP035
from typing import Optional as Optional
from typing import Tuple as Tuple  # noqa: UP035


class _Broadcasting:
    """The type of `BroadcastingListN[int]`: a list of N numbers, or one number for all N."""

    def __getitem__(self, types: Any) -> None:
        """Return None, because the annotation has no meaning outside of TorchScript."""


BroadcastingList1 = _Broadcasting()
BroadcastingList2 = _Broadcasting()
BroadcastingList3 = _Broadcasting()
BroadcastingList4 = _Broadcasting()
BroadcastingList5 = _Broadcasting()
BroadcastingList6 = _Broadcasting()
