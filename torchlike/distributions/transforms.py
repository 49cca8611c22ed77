"""The public names of transforms: differentiable maps between sets of values, with their log |det Jacobian|."""

from ._transforms_base import ComposeTransform as ComposeTransform
from ._transforms_base import IndependentTransform as IndependentTransform
from ._transforms_base import ReshapeTransform as ReshapeTransform
from ._transforms_base import Transform as Transform
from ._transforms_base import _InverseTransform as _InverseTransform
from ._transforms_base import identity_transform as identity_transform
from ._transforms_joined import CatTransform as CatTransform
from ._transforms_joined import StackTransform as StackTransform
from ._transforms_numbers import AbsTransform as AbsTransform
from ._transforms_numbers import AffineTransform as AffineTransform
from ._transforms_numbers import CumulativeDistributionTransform as CumulativeDistributionTransform
from ._transforms_numbers import ExpTransform as ExpTransform
from ._transforms_numbers import PowerTransform as PowerTransform
from ._transforms_numbers import SigmoidTransform as SigmoidTransform
from ._transforms_numbers import SoftplusTransform as SoftplusTransform
from ._transforms_numbers import TanhTransform as TanhTransform
from ._transforms_numbers import clipped_sigmoid as _clipped_sigmoid  # noqa: F401, as libraries import it
from ._transforms_vectors import CorrCholeskyTransform as CorrCholeskyTransform
from ._transforms_vectors import LowerCholeskyTransform as LowerCholeskyTransform
from ._transforms_vectors import PositiveDefiniteTransform as PositiveDefiniteTransform
from ._transforms_vectors import SoftmaxTransform as SoftmaxTransform
from ._transforms_vectors import StickBreakingTransform as StickBreakingTransform
from .distribution import Distribution as Distribution
from .utils import broadcast_all as broadcast_all
from .utils import lazy_property as lazy_property

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "Transform",
    "identity_transform",
]
