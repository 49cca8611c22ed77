"""Errors of modules: type and message must equal PyTorch's."""

import pytest
import torch

import torchlike
from tests.nn.twins import agree, scope

# Defines the names that the test lines use: a module with every kind of member, a parameter, a tensor and a layer.
SETTING = """
class NoInit(nn.Module):
    def __init__(self):
        pass

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 3)
        self.register_buffer('b', T.ones(2))
        self.p = nn.Parameter(T.ones(2))
        self.register_parameter('none', None)
        self.plain = 3

m, P, X, L = M(), nn.Parameter(T.ones(2)), T.ones(2), nn.Linear(2, 3)
"""

MODULE = """
NoInit().register_buffer('a', X)
NoInit().register_parameter('a', P)
NoInit().add_module('a', L)
NoInit().a = P
NoInit().a = L
NoInit().a = nn.Buffer(X)
NoInit().a = X
NoInit().weight
NoInit()(X)
m.register_buffer(3, X)
m.register_buffer('a.b', X)
m.register_buffer('', X)
m.register_buffer('plain', X)
m.register_buffer('b', X)
m.register_buffer('q', 3)
m.register_parameter(3, P)
m.register_parameter('a.b', P)
m.register_parameter('', P)
m.register_parameter('plain', P)
m.register_parameter('q', 3)
m.register_parameter('q', X)
m.register_parameter('q', P * 1)
m.add_module('q', 3)
m.add_module(3, L)
m.add_module('plain', L)
m.add_module('a.b', L)
m.add_module('', L)
m.p = 3
m.p = X
m.lin = 3
m.b = 3
m.none
m.none = 3
m.nothing
del m.nothing
m.get_submodule('lin.x')
m.get_submodule('plain')
m.get_submodule('x.y')
m.get_parameter('lin.x')
m.get_parameter('b')
m.get_buffer('p')
m.get_buffer('lin.zz')
m.set_submodule('', L)
m.set_submodule('a.b', L)
m.set_submodule('lin.b', L, strict=True)
m.set_submodule('plain', L)
m.set_submodule('lin', 3)
m.train(3)
m.to(T.int32)
m.to('cpu', 'cpu')
m.to([3])
m.to(foo=3)
m.to_empty()
m.get_extra_state()
m.set_extra_state(3)
m.load_state_dict(3)
m.load_state_dict({})
m.load_state_dict({'lin.weight': T.ones(3, 3), 'lin.bias': T.ones(3), 'b': X, 'p': X, 'zz': X, 'yy.r': X})
m.load_state_dict({'lin.weight': T.ones(3, 3), 'lin.bias': 3, 'b': X, 'p': X, 'zz': X})
nn.Sequential(L).load_state_dict({'0.weight': T.ones(1), 'weight': X})
nn.Module(3)
nn.Module(a=3)
nn.Module()(3)
M()(3)
nn.Linear(2, 3, foo=3)
nn.Linear(2, 3)()
nn.Sigmoid(3)
nn.Parameter(3)
nn.Parameter(T.tensor(3))
"""

CONTAINERS = """
nn.ModuleDict([L])
nn.ModuleDict(3)
nn.ModuleDict([('a', L, 3)])
nn.ModuleDict({3: L})
nn.ModuleDict({'a': 3})
nn.ModuleDict({'type': L})
nn.ModuleDict({'a': L})['b']
nn.ModuleDict({'a': L})(3)
nn.ParameterList(3)
nn.ParameterList([P])[2]
nn.ParameterList([P])['a']
nn.ParameterList([P])(3)
nn.ParameterDict([3])
nn.ParameterDict([(1, 2, 3)])
nn.ParameterDict(3)
nn.ParameterDict({'a': P})['b']
nn.ParameterDict({'type': P})
nn.ParameterDict({'a.b': P})
nn.ParameterDict({3: P})
nn.Sequential(L, 3)
nn.Sequential({'a': L})
nn.Sequential(OrderedDict([(3, L)]))
nn.Sequential(L)[1]
nn.Sequential(L)['a']
nn.Sequential(L) + 3
nn.Sequential(L) * 0
nn.Sequential(L) * 'a'
nn.Sequential(L).extend(3)
nn.Sequential(L).insert(5, L)
nn.Sequential(L).insert(0, 3)
nn.Sequential(L, nn.ReLU()).pop(5)
nn.ModuleList([L])[2]
nn.ModuleList([L]) + 3
nn.ModuleList([L]).extend(3)
nn.ModuleList([L]).extend(L)
nn.ModuleList([3])
nn.ModuleList([L])(3)
"""

LAYERS = """
nn.Bilinear(0, 2, 3)
nn.Conv2d(3, 4, 3, groups=2)
nn.Conv2d(4, 3, 3, groups=2)
nn.Conv2d(4, 3, 3, groups=0)
nn.Conv2d(4, 4, 3, padding='same', stride=2)
nn.ConvTranspose2d(4, 6, 3, padding_mode='circular')
nn.ConvTranspose2d(4, 6, 3)(T.ones(1, 4, 5, 5), output_size=[10, 10])
nn.ConvTranspose2d(4, 6, 3, stride=2)(T.ones(1, 4, 5, 5), output_size=[12])
nn.BatchNorm1d(3)(T.ones(3))
nn.BatchNorm2d(3)(T.ones(3, 3))
nn.BatchNorm3d(3)(T.ones(3, 3))
nn.BatchNorm1d(3)(T.ones(1, 3))
nn.InstanceNorm1d(3)(T.ones(3))
nn.InstanceNorm1d(3, affine=True)(T.ones(2, 4, 5))
nn.InstanceNorm2d(3)(T.ones(2, 5))
nn.GroupNorm(3, 4)
nn.Dropout(2)
nn.Dropout(-0.1)
nn.Embedding(3, 4, padding_idx=5)
nn.Embedding(3, 4, _weight=T.ones(2, 3))
nn.Embedding.from_pretrained(T.ones(2))
nn.EmbeddingBag(3, 4, padding_idx=7)
nn.FractionalMaxPool2d(3)
nn.FractionalMaxPool2d(3, output_size=2, output_ratio=.3)
nn.FractionalMaxPool2d(3, output_ratio=2)
nn.Unflatten(1, 3)
nn.Unflatten(1, (2, 3.))
nn.Softmax2d()(T.ones(2))
nn.CELU(0.)(T.ones(2))
nn.GLU()(T.tensor(1.))
nn.functional.celu_(T.ones(2), 0)
nn.functional.affine_grid(T.ones(1, 2, 3).int(), (1, 1, 2, 2))
nn.functional.affine_grid(T.ones(1, 2, 2), (1, 1, 2, 2))
nn.functional.affine_grid(T.ones(1, 2, 3), (1, 1, 2, 2, 2))
nn.functional.affine_grid(T.ones(1, 2, 3), (1, 1, 2))
nn.functional.affine_grid(T.ones(1, 2, 3), (2, 1, 3, 3), False)
nn.functional.affine_grid(T.ones(3, 3, 4), (1, 1, 3, 3, 3), False)
nn.functional.affine_grid(T.ones(1, 2, 3), (1, 1, 2, 0))
nn.functional.affine_grid(T.ones(1, 2, 3), (1, 1, 2, 1), align_corners=True).shape
nn.functional.mse_loss(T.ones(2, 3), T.ones(2, 3), weight=T.ones(3))
nn.functional.l1_loss(T.ones(1, 3), T.ones(1, 3), weight=T.ones(3), reduction='sum')
nn.functional.huber_loss(T.ones(2, 3), T.ones(2, 3), weight=T.ones(2, 1), reduction='none')
nn.Hardtanh(2, 1)
nn.MultiMarginLoss(p=3)
nn.MultiMarginLoss(weight=T.ones(2, 2))
nn.TripletMarginLoss(margin=-1)
nn.TripletMarginWithDistanceLoss(margin=-1)
nn.CrossEntropyLoss(3)
nn.NLLLoss2d().reduction
nn.L1Loss(size_average=False).reduction
nn.L1Loss(reduce=False).reduction
nn.Hardtanh(min_value=-3, max_value=3).max_val
nn.Container() is None
nn.LSTM(2, 3, proj_size=3)
nn.LSTM(2, 3, proj_size=-3)
nn.GRU(2, 3, proj_size=1)
nn.RNN(2, 3, nonlinearity='foo')
nn.RNNBase('foo', 2, 3)
nn.LSTM(2, 3, dropout=.5).dropout
nn.LSTM(2, 3, dropout=2)
nn.LSTM(2, 0)
nn.LSTM(2, 3.)
nn.LSTM(0, 3)
nn.LSTM(2, 3, 0)
nn.LSTM(2)
nn.LSTM()
nn.LSTM(2, 3)(T.ones(2))
nn.GRU(2, 3)(T.ones(2))
nn.RNN(2, 3)(T.ones(2, 2, 2, 2))
nn.LSTM(2, 3)(T.ones(2, 2, 3))
nn.LSTM(2, 3)(T.ones(2, 2, 2), (T.ones(1, 2, 4), T.ones(1, 2, 3)))
nn.LSTM(2, 3)(T.ones(2, 2, 2), (T.ones(1, 2, 3), T.ones(1, 2, 4)))
nn.LSTM(2, 3)(T.ones(2, 2, 2), (T.ones(1, 2), T.ones(1, 2)))
nn.LSTM(2, 3)(T.ones(2, 2), (T.ones(1, 2, 3), T.ones(1, 2, 3)))
nn.GRU(2, 3)(T.ones(2, 2, 2), T.ones(1, 3, 3))
nn.GRU(2, 3)(T.ones(2, 2, 2), T.ones(1, 3))
nn.GRU(2, 3)(T.ones(2, 2), T.ones(1, 3, 3))
nn.RNN(2, 3)(T.ones(2, 2), T.ones(2, 3))
nn.RNN(2, 3)(T.ones(2, 2, dtype=T.double))
nn.RNNCell(2, 3, nonlinearity='foo')(T.ones(2))
nn.RNNCell(2, 3)(T.ones(2, 2, 2))
nn.LSTMCell(2, 3)(T.ones(2, 2, 2))
nn.GRUCell(2, 3)(T.ones(2, 2), T.ones(1, 2, 3))
nn.LSTMCell(2, 3)(T.ones(2, 2), (T.ones(1, 2, 3), T.ones(2, 3)))
nn.MultiheadAttention(8, 3)
nn.MultiheadAttention(0, 3)
nn.MultiheadAttention(8, 2)(T.ones(2, 3, 8), T.ones(2, 3, 8), T.ones(2, 3, 7))
nn.MultiheadAttention(8, 2)(T.ones(2, 3, 7), T.ones(2, 3, 8), T.ones(2, 3, 8))
nn.MultiheadAttention(8, 2)(T.ones(2, 3, 8), T.ones(2, 8), T.ones(2, 3, 8))
nn.MultiheadAttention(8, 2)(T.ones(8), T.ones(8), T.ones(8))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, attn_mask=T.ones(3, 3))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, attn_mask=T.ones(3, 3, 3))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, attn_mask=T.ones(3))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, key_padding_mask=T.ones(3))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, key_padding_mask=T.ones(3, 3))
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, key_padding_mask=T.ones(2, 3).long())
nn.MultiheadAttention(8, 2)(*[T.ones(2, 3, 8)] * 3, is_causal=True)
nn.TransformerEncoderLayer(8, 2, 16, activation='foo')
nn.Transformer(8, 2, 1, 1, 16)(T.ones(2, 3, 8), T.ones(2, 4, 8))
nn.Transformer(8, 2, 1, 1, 16)(T.ones(2, 3, 7), T.ones(2, 3, 7))
nn.AdaptiveLogSoftmaxWithLoss(16, 10, [5, 3])
nn.AdaptiveLogSoftmaxWithLoss(16, 10, [])
nn.AdaptiveLogSoftmaxWithLoss(16, 10, [3, 5], 2.0)(T.ones(2, 16), T.ones(3))
nn.AdaptiveLogSoftmaxWithLoss(16, 10, [3, 5], 2.0)(T.ones(2, 16), T.tensor([3, 11]))
"""

INIT = """
nn.init.calculate_gain('foo')
nn.init.calculate_gain('leaky_relu', 'a')
nn.init.eye_(T.ones(2))
nn.init.dirac_(T.ones(2))
nn.init.dirac_(T.ones(2, 3, 4), 3)
nn.init.xavier_uniform_(T.ones(2))
nn.init.kaiming_uniform_(T.ones(2, 2), mode='foo')
nn.init.kaiming_uniform_(T.ones(2, 0))
nn.init.kaiming_normal_(T.ones(2, 0))
nn.init.orthogonal_(T.ones(2))
nn.init.sparse_(T.ones(2), .1)
nn.init.trunc_normal_(T.ones(2), 10)
nn.init.uniform(T.ones(2))
"""

UTILS = """
nn.utils.rnn.pad_sequence(3)
nn.utils.rnn.pad_sequence([])
nn.utils.rnn.pad_sequence([X, T.ones(3)], padding_side='foo')
nn.utils.rnn.pack_padded_sequence(T.ones(3, 2), [2, 3])
nn.utils.rnn.pack_padded_sequence(T.ones(3, 2), [3, 0])
nn.utils.rnn.pack_padded_sequence(T.ones(3, 2), [3])
nn.utils.rnn.pad_packed_sequence(nn.utils.rnn.pack_padded_sequence(T.ones(3, 2), [3, 2]), total_length=2)
nn.utils.rnn.pack_sequence([T.ones(2), T.ones(3)])
nn.utils.clip_grad_norm([P], 1.)
nn.utils.vector_to_parameters(3, [P])
nn.utils.vector_to_parameters(T.arange(1.), [P])
nn.utils.parameters_to_vector([])
"""


def lines_of(*texts):
    return [line for text in texts for line in text.strip().splitlines()]


@pytest.mark.parametrize("line", lines_of(MODULE, CONTAINERS, LAYERS, INIT, UTILS))
def test_the_same_sentence(line):
    is_statement = line.startswith("del ") or " = " in line.split("(")[0]

    def run(T):
        names = scope(T)
        exec(SETTING, names)
        return exec(line, names) if is_statement else eval(line, names)

    agree(run)


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_class_numbers_beyond_those_of_int8_are_taken(dtype):
    def loss(lib):
        x = lib.arange(1000.0).reshape(4, 250).sin()
        return lib.nn.functional.nll_loss(x, lib.tensor([200, 3, 249, 0], dtype=getattr(lib, dtype))).item()

    assert loss(torchlike) == pytest.approx(loss(torch))
