"""Compares torchlike with PyTorch: runs one program in both libraries and compares everything observable.

from tests.oracle import assert_same, both

both(lambda torch: torch.arange(6).view(2, 3).sum(dim=1))
"""

from tests.oracle._compare import assert_same as assert_same
from tests.oracle._convert import to_ours as to_ours
from tests.oracle._convert import to_theirs as to_theirs
from tests.oracle._judge import Outcome as Outcome
from tests.oracle._judge import both as both
from tests.oracle._judge import errors_of as errors_of
from tests.oracle._judge import is_no_gpu as is_no_gpu
from tests.oracle._judge import outcome as outcome
