"""The layers, in one file for each family of layers."""

from torchlike.nn._linear_cross_entropy import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from torchlike.nn.modules import utils as utils
from torchlike.nn.modules.activation import CELU as CELU
from torchlike.nn.modules.activation import ELU as ELU
from torchlike.nn.modules.activation import GELU as GELU
from torchlike.nn.modules.activation import GLU as GLU
from torchlike.nn.modules.activation import SELU as SELU
from torchlike.nn.modules.activation import Hardshrink as Hardshrink
from torchlike.nn.modules.activation import Hardsigmoid as Hardsigmoid
from torchlike.nn.modules.activation import Hardswish as Hardswish
from torchlike.nn.modules.activation import Hardtanh as Hardtanh
from torchlike.nn.modules.activation import LeakyReLU as LeakyReLU
from torchlike.nn.modules.activation import LogSigmoid as LogSigmoid
from torchlike.nn.modules.activation import LogSoftmax as LogSoftmax
from torchlike.nn.modules.activation import Mish as Mish
from torchlike.nn.modules.activation import PReLU as PReLU
from torchlike.nn.modules.activation import ReLU as ReLU
from torchlike.nn.modules.activation import ReLU6 as ReLU6
from torchlike.nn.modules.activation import RReLU as RReLU
from torchlike.nn.modules.activation import Sigmoid as Sigmoid
from torchlike.nn.modules.activation import SiLU as SiLU
from torchlike.nn.modules.activation import Softmax as Softmax
from torchlike.nn.modules.activation import Softmax2d as Softmax2d
from torchlike.nn.modules.activation import Softmin as Softmin
from torchlike.nn.modules.activation import Softplus as Softplus
from torchlike.nn.modules.activation import Softshrink as Softshrink
from torchlike.nn.modules.activation import Softsign as Softsign
from torchlike.nn.modules.activation import Tanh as Tanh
from torchlike.nn.modules.activation import Tanhshrink as Tanhshrink
from torchlike.nn.modules.activation import Threshold as Threshold
from torchlike.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from torchlike.nn.modules.attention import MultiheadAttention as MultiheadAttention
from torchlike.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from torchlike.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from torchlike.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from torchlike.nn.modules.batchnorm import LazyBatchNorm1d as LazyBatchNorm1d
from torchlike.nn.modules.batchnorm import LazyBatchNorm2d as LazyBatchNorm2d
from torchlike.nn.modules.batchnorm import LazyBatchNorm3d as LazyBatchNorm3d
from torchlike.nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from torchlike.nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
from torchlike.nn.modules.container import Container as Container
from torchlike.nn.modules.container import ModuleDict as ModuleDict
from torchlike.nn.modules.container import ModuleList as ModuleList
from torchlike.nn.modules.container import Sequential as Sequential
from torchlike.nn.modules.conv import Conv1d as Conv1d
from torchlike.nn.modules.conv import Conv2d as Conv2d
from torchlike.nn.modules.conv import Conv3d as Conv3d
from torchlike.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from torchlike.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from torchlike.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from torchlike.nn.modules.conv import LazyConv1d as LazyConv1d
from torchlike.nn.modules.conv import LazyConv2d as LazyConv2d
from torchlike.nn.modules.conv import LazyConv3d as LazyConv3d
from torchlike.nn.modules.conv import LazyConvTranspose1d as LazyConvTranspose1d
from torchlike.nn.modules.conv import LazyConvTranspose2d as LazyConvTranspose2d
from torchlike.nn.modules.conv import LazyConvTranspose3d as LazyConvTranspose3d
from torchlike.nn.modules.distance import CosineSimilarity as CosineSimilarity
from torchlike.nn.modules.distance import PairwiseDistance as PairwiseDistance
from torchlike.nn.modules.dropout import AlphaDropout as AlphaDropout
from torchlike.nn.modules.dropout import Dropout as Dropout
from torchlike.nn.modules.dropout import Dropout1d as Dropout1d
from torchlike.nn.modules.dropout import Dropout2d as Dropout2d
from torchlike.nn.modules.dropout import Dropout3d as Dropout3d
from torchlike.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from torchlike.nn.modules.flatten import Flatten as Flatten
from torchlike.nn.modules.flatten import Unflatten as Unflatten
from torchlike.nn.modules.fold import Fold as Fold
from torchlike.nn.modules.fold import Unfold as Unfold
from torchlike.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from torchlike.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from torchlike.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from torchlike.nn.modules.instancenorm import LazyInstanceNorm1d as LazyInstanceNorm1d
from torchlike.nn.modules.instancenorm import LazyInstanceNorm2d as LazyInstanceNorm2d
from torchlike.nn.modules.instancenorm import LazyInstanceNorm3d as LazyInstanceNorm3d
from torchlike.nn.modules.linear import Bilinear as Bilinear
from torchlike.nn.modules.linear import Identity as Identity
from torchlike.nn.modules.linear import LazyLinear as LazyLinear
from torchlike.nn.modules.linear import Linear as Linear
from torchlike.nn.modules.loss import BCELoss as BCELoss
from torchlike.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from torchlike.nn.modules.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from torchlike.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
from torchlike.nn.modules.loss import CTCLoss as CTCLoss
from torchlike.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
from torchlike.nn.modules.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from torchlike.nn.modules.loss import HuberLoss as HuberLoss
from torchlike.nn.modules.loss import KLDivLoss as KLDivLoss
from torchlike.nn.modules.loss import L1Loss as L1Loss
from torchlike.nn.modules.loss import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from torchlike.nn.modules.loss import MarginRankingLoss as MarginRankingLoss
from torchlike.nn.modules.loss import MSELoss as MSELoss
from torchlike.nn.modules.loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from torchlike.nn.modules.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from torchlike.nn.modules.loss import MultiMarginLoss as MultiMarginLoss
from torchlike.nn.modules.loss import NLLLoss as NLLLoss
from torchlike.nn.modules.loss import NLLLoss2d as NLLLoss2d
from torchlike.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
from torchlike.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
from torchlike.nn.modules.loss import SoftMarginLoss as SoftMarginLoss
from torchlike.nn.modules.loss import TripletMarginLoss as TripletMarginLoss
from torchlike.nn.modules.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from torchlike.nn.modules.module import Module as Module
from torchlike.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from torchlike.nn.modules.normalization import GroupNorm as GroupNorm
from torchlike.nn.modules.normalization import LayerNorm as LayerNorm
from torchlike.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from torchlike.nn.modules.normalization import RMSNorm as RMSNorm
from torchlike.nn.modules.padding import CircularPad1d as CircularPad1d
from torchlike.nn.modules.padding import CircularPad2d as CircularPad2d
from torchlike.nn.modules.padding import CircularPad3d as CircularPad3d
from torchlike.nn.modules.padding import ConstantPad1d as ConstantPad1d
from torchlike.nn.modules.padding import ConstantPad2d as ConstantPad2d
from torchlike.nn.modules.padding import ConstantPad3d as ConstantPad3d
from torchlike.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from torchlike.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from torchlike.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from torchlike.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from torchlike.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from torchlike.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from torchlike.nn.modules.padding import ZeroPad1d as ZeroPad1d
from torchlike.nn.modules.padding import ZeroPad2d as ZeroPad2d
from torchlike.nn.modules.padding import ZeroPad3d as ZeroPad3d
from torchlike.nn.modules.parameter_container import ParameterDict as ParameterDict
from torchlike.nn.modules.parameter_container import ParameterList as ParameterList
from torchlike.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from torchlike.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
from torchlike.nn.modules.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from torchlike.nn.modules.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from torchlike.nn.modules.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from torchlike.nn.modules.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from torchlike.nn.modules.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from torchlike.nn.modules.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from torchlike.nn.modules.pooling import AvgPool1d as AvgPool1d
from torchlike.nn.modules.pooling import AvgPool2d as AvgPool2d
from torchlike.nn.modules.pooling import AvgPool3d as AvgPool3d
from torchlike.nn.modules.pooling import FractionalMaxPool2d as FractionalMaxPool2d
from torchlike.nn.modules.pooling import FractionalMaxPool3d as FractionalMaxPool3d
from torchlike.nn.modules.pooling import LPPool1d as LPPool1d
from torchlike.nn.modules.pooling import LPPool2d as LPPool2d
from torchlike.nn.modules.pooling import LPPool3d as LPPool3d
from torchlike.nn.modules.pooling import MaxPool1d as MaxPool1d
from torchlike.nn.modules.pooling import MaxPool2d as MaxPool2d
from torchlike.nn.modules.pooling import MaxPool3d as MaxPool3d
from torchlike.nn.modules.pooling import MaxUnpool1d as MaxUnpool1d
from torchlike.nn.modules.pooling import MaxUnpool2d as MaxUnpool2d
from torchlike.nn.modules.pooling import MaxUnpool3d as MaxUnpool3d
from torchlike.nn.modules.rnn import GRU as GRU
from torchlike.nn.modules.rnn import LSTM as LSTM
from torchlike.nn.modules.rnn import RNN as RNN
from torchlike.nn.modules.rnn import GRUCell as GRUCell
from torchlike.nn.modules.rnn import LSTMCell as LSTMCell
from torchlike.nn.modules.rnn import RNNBase as RNNBase
from torchlike.nn.modules.rnn import RNNCell as RNNCell
from torchlike.nn.modules.rnn import RNNCellBase as RNNCellBase
from torchlike.nn.modules.sparse import Embedding as Embedding
from torchlike.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from torchlike.nn.modules.transformer import Transformer as Transformer
from torchlike.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from torchlike.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from torchlike.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from torchlike.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from torchlike.nn.modules.upsampling import Upsample as Upsample
from torchlike.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from torchlike.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "CELU",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Container",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "CrossMapLRN2d",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "ELU",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "PairwiseDistance",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]
