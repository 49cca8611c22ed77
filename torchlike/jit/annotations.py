"""Types that only scripts tell apart: a number, or a list of so many."""

from typing import Any
from typing import Dict as Dict  # noqa: UP035 - programs look for the former names here
from typing import List as List  # noqa: UP035
from typing import Optional as Optional
from typing import Tuple as Tuple  # noqa: UP035


class _Broadcasting:
    """`BroadcastingListN[int]`: a list of N numbers, or one that stands for all."""

    def __getitem__(self, types: Any) -> None:
        """What an annotation then is: nothing that Python looks at."""


BroadcastingList1 = _Broadcasting()
BroadcastingList2 = _Broadcasting()
BroadcastingList3 = _Broadcasting()
BroadcastingList4 = _Broadcasting()
BroadcastingList5 = _Broadcasting()
BroadcastingList6 = _Broadcasting()
