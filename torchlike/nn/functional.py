"""Neural network functions, usually imported as `F`."""

from typing import Any

from torchlike._api import glossary as _glossary
from torchlike._api import names as _names
from torchlike._composite.functional.activation import _get_softmax_dim as _get_softmax_dim
from torchlike._composite.functional.activation import celu as celu
from torchlike._composite.functional.activation import celu_ as celu_
from torchlike._composite.functional.activation import elu as elu
from torchlike._composite.functional.activation import elu_ as elu_
from torchlike._composite.functional.activation import glu as glu
from torchlike._composite.functional.activation import gumbel_softmax as gumbel_softmax
from torchlike._composite.functional.activation import hardsigmoid as hardsigmoid
from torchlike._composite.functional.activation import hardswish as hardswish
from torchlike._composite.functional.activation import hardtanh as hardtanh
from torchlike._composite.functional.activation import hardtanh_ as hardtanh_
from torchlike._composite.functional.activation import leaky_relu as leaky_relu
from torchlike._composite.functional.activation import leaky_relu_ as leaky_relu_
from torchlike._composite.functional.activation import log_softmax as log_softmax
from torchlike._composite.functional.activation import mish as mish
from torchlike._composite.functional.activation import relu as relu
from torchlike._composite.functional.activation import relu6 as relu6
from torchlike._composite.functional.activation import relu_ as relu_
from torchlike._composite.functional.activation import rrelu as rrelu
from torchlike._composite.functional.activation import rrelu_ as rrelu_
from torchlike._composite.functional.activation import selu as selu
from torchlike._composite.functional.activation import selu_ as selu_
from torchlike._composite.functional.activation import sigmoid as sigmoid
from torchlike._composite.functional.activation import silu as silu
from torchlike._composite.functional.activation import softmax as softmax
from torchlike._composite.functional.activation import softmin as softmin
from torchlike._composite.functional.activation import tanh as tanh
from torchlike._composite.functional.activation import threshold as threshold
from torchlike._composite.functional.activation import threshold_ as threshold_
from torchlike._composite.functional.adaptive_pool import adaptive_avg_pool1d as adaptive_avg_pool1d
from torchlike._composite.functional.adaptive_pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from torchlike._composite.functional.adaptive_pool import adaptive_avg_pool3d as adaptive_avg_pool3d
from torchlike._composite.functional.adaptive_pool import adaptive_max_pool1d as adaptive_max_pool1d
from torchlike._composite.functional.adaptive_pool import (
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
)
from torchlike._composite.functional.adaptive_pool import adaptive_max_pool2d as adaptive_max_pool2d
from torchlike._composite.functional.adaptive_pool import (
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
)
from torchlike._composite.functional.adaptive_pool import adaptive_max_pool3d as adaptive_max_pool3d
from torchlike._composite.functional.adaptive_pool import (
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
)
from torchlike._composite.functional.adaptive_pool import fractional_max_pool2d as fractional_max_pool2d
from torchlike._composite.functional.adaptive_pool import (
    fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices,
)
from torchlike._composite.functional.adaptive_pool import fractional_max_pool3d as fractional_max_pool3d
from torchlike._composite.functional.adaptive_pool import (
    fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices,
)
from torchlike._composite.functional.attention import scaled_dot_product_attention as scaled_dot_product_attention
from torchlike._composite.functional.bags import embedding_bag as embedding_bag
from torchlike._composite.functional.conv import conv1d as conv1d
from torchlike._composite.functional.conv import conv2d as conv2d
from torchlike._composite.functional.conv import conv3d as conv3d
from torchlike._composite.functional.conv import conv_transpose1d as conv_transpose1d
from torchlike._composite.functional.conv import conv_transpose2d as conv_transpose2d
from torchlike._composite.functional.conv import conv_transpose3d as conv_transpose3d
from torchlike._composite.functional.ctc import ctc_loss as ctc_loss
from torchlike._composite.functional.distance import pdist as pdist
from torchlike._composite.functional.dropout import alpha_dropout as alpha_dropout
from torchlike._composite.functional.dropout import dropout as dropout
from torchlike._composite.functional.dropout import dropout1d as dropout1d
from torchlike._composite.functional.dropout import dropout2d as dropout2d
from torchlike._composite.functional.dropout import dropout3d as dropout3d
from torchlike._composite.functional.dropout import feature_alpha_dropout as feature_alpha_dropout
from torchlike._composite.functional.embedding import bilinear as bilinear
from torchlike._composite.functional.embedding import cosine_similarity as cosine_similarity
from torchlike._composite.functional.embedding import embedding as embedding
from torchlike._composite.functional.embedding import one_hot as one_hot
from torchlike._composite.functional.embedding import pairwise_distance as pairwise_distance
from torchlike._composite.functional.loss import binary_cross_entropy as binary_cross_entropy
from torchlike._composite.functional.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from torchlike._composite.functional.loss import cross_entropy as cross_entropy
from torchlike._composite.functional.loss import gaussian_nll_loss as gaussian_nll_loss
from torchlike._composite.functional.loss import huber_loss as huber_loss
from torchlike._composite.functional.loss import kl_div as kl_div
from torchlike._composite.functional.loss import l1_loss as l1_loss
from torchlike._composite.functional.loss import mse_loss as mse_loss
from torchlike._composite.functional.loss import nll_loss as nll_loss
from torchlike._composite.functional.loss import poisson_nll_loss as poisson_nll_loss
from torchlike._composite.functional.loss import smooth_l1_loss as smooth_l1_loss
from torchlike._composite.functional.margin_loss import cosine_embedding_loss as cosine_embedding_loss
from torchlike._composite.functional.margin_loss import hinge_embedding_loss as hinge_embedding_loss
from torchlike._composite.functional.margin_loss import margin_ranking_loss as margin_ranking_loss
from torchlike._composite.functional.margin_loss import multi_margin_loss as multi_margin_loss
from torchlike._composite.functional.margin_loss import multilabel_margin_loss as multilabel_margin_loss
from torchlike._composite.functional.margin_loss import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from torchlike._composite.functional.margin_loss import soft_margin_loss as soft_margin_loss
from torchlike._composite.functional.margin_loss import triplet_margin_loss as triplet_margin_loss
from torchlike._composite.functional.margin_loss import (
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from torchlike._composite.functional.mean_pool import avg_pool1d as avg_pool1d
from torchlike._composite.functional.mean_pool import avg_pool2d as avg_pool2d
from torchlike._composite.functional.mean_pool import avg_pool3d as avg_pool3d
from torchlike._composite.functional.mean_pool import lp_pool1d as lp_pool1d
from torchlike._composite.functional.mean_pool import lp_pool2d as lp_pool2d
from torchlike._composite.functional.mean_pool import lp_pool3d as lp_pool3d
from torchlike._composite.functional.norm import batch_norm as batch_norm
from torchlike._composite.functional.norm import group_norm as group_norm
from torchlike._composite.functional.norm import instance_norm as instance_norm
from torchlike._composite.functional.norm import layer_norm as layer_norm
from torchlike._composite.functional.norm import local_response_norm as local_response_norm
from torchlike._composite.functional.norm import normalize as normalize
from torchlike._composite.functional.norm import rms_norm as rms_norm
from torchlike._composite.functional.pool import Pooled as Pooled
from torchlike._composite.functional.pool import Size as Size
from torchlike._composite.functional.pool import max_pool1d as max_pool1d
from torchlike._composite.functional.pool import max_pool1d_with_indices as max_pool1d_with_indices
from torchlike._composite.functional.pool import max_pool2d as max_pool2d
from torchlike._composite.functional.pool import max_pool2d_with_indices as max_pool2d_with_indices
from torchlike._composite.functional.pool import max_pool3d as max_pool3d
from torchlike._composite.functional.pool import max_pool3d_with_indices as max_pool3d_with_indices
from torchlike._composite.functional.pool import max_unpool1d as max_unpool1d
from torchlike._composite.functional.pool import max_unpool2d as max_unpool2d
from torchlike._composite.functional.pool import max_unpool3d as max_unpool3d
from torchlike._composite.functional.resize import affine_grid as affine_grid
from torchlike._composite.functional.resize import grid_sample as grid_sample
from torchlike._composite.functional.resize import interpolate as interpolate
from torchlike._composite.functional.resize import upsample as upsample
from torchlike._composite.functional.resize import upsample_bilinear as upsample_bilinear
from torchlike._composite.functional.resize import upsample_nearest as upsample_nearest
from torchlike._composite.functional.rows import gelu as gelu
from torchlike._composite.functional.rows import grouped_mm as grouped_mm
from torchlike._composite.functional.rows import hardshrink as hardshrink
from torchlike._composite.functional.rows import linear as linear
from torchlike._composite.functional.rows import logsigmoid as logsigmoid
from torchlike._composite.functional.rows import prelu as prelu
from torchlike._composite.functional.rows import softplus as softplus
from torchlike._composite.functional.rows import softshrink as softshrink
from torchlike._composite.functional.rows import softsign as softsign
from torchlike._composite.functional.rows import tanhshrink as tanhshrink
from torchlike._composite.functional.shape import channel_shuffle as channel_shuffle
from torchlike._composite.functional.shape import fold as fold
from torchlike._composite.functional.shape import pad as pad
from torchlike._composite.functional.shape import pixel_shuffle as pixel_shuffle
from torchlike._composite.functional.shape import pixel_unshuffle as pixel_unshuffle
from torchlike._composite.functional.shape import unfold as unfold
from torchlike.nn import _reduction as _Reduction  # noqa: F401  # other projects import it
from torchlike.nn._attention import _canonical_mask as _canonical_mask
from torchlike.nn._attention import _in_projection as _in_projection
from torchlike.nn._attention import _in_projection_packed as _in_projection_packed
from torchlike.nn._attention import _none_or_dtype as _none_or_dtype
from torchlike.nn._attention import multi_head_attention_forward as multi_head_attention_forward
from torchlike.nn._linear_cross_entropy import linear_cross_entropy as linear_cross_entropy

_names.settle(__name__, vars())
_glossary.complete_all(vars().values())


def __getattr__(name: str) -> Any:
    from torchlike._internal import _errors

    raise _errors.arguments.unknown_name("torch.nn.functional", name, [n for n in globals() if not n.startswith("_")])
