"""`True`, `1` and `1.0` are equal in Python, but PyTorch takes them as different arguments.

Each call is made with 1 first, so that a plan for it is cached.
"""

import pytest
import torch

import torchlike
from tests.oracle import outcome

# x is a float tensor of shape (2, 3), v the number.
CALLS = {
    "T": lambda L, x, v: x.transpose(0, v),
    "all": lambda L, x, v: x.all(v),
    "amax": lambda L, x, v: x.amax(v),
    "amax2": lambda L, x, v: x.amax((v,)),
    "arange": lambda L, x, v: L.arange(v),
    "argmax": lambda L, x, v: x.argmax(v),
    "argsort": lambda L, x, v: x.argsort(v),
    "avgpool": lambda L, x, v: L.nn.functional.avg_pool1d(x, v),
    "bincount": lambda L, x, v: L.bincount(L.tensor([0]), minlength=v),
    "cat": lambda L, x, v: L.cat([x], v),
    "chunk": lambda L, x, v: x.chunk(v),
    "comb": lambda L, x, v: L.combinations(x[0], v),
    "conv": lambda L, x, v: L.nn.functional.conv1d(x[None], L.ones(1, 2, 1), stride=v),
    "cross": lambda L, x, v: L.linalg.cross(L.ones(3, 3), L.ones(3, 3), dim=v),
    "cumsum": lambda L, x, v: x.cumsum(v),
    "diag": lambda L, x, v: L.diag(x, v),
    "diff": lambda L, x, v: x.diff(v),
    "dropout": lambda L, x, v: L.nn.functional.dropout(x, 0.5, v).shape,
    "emb": lambda L, x, v: L.nn.functional.embedding(L.tensor([0]), x, padding_idx=v),
    "empty": lambda L, x, v: L.empty((v,)).shape,
    "expand": lambda L, x, v: x[None].expand(v, 2, 3),
    "eye": lambda L, x, v: L.eye(v),
    "fft": lambda L, x, v: L.fft.fft(x, v).shape,
    "fft2": lambda L, x, v: L.fft.fft2(x, (v, 2)).shape,
    "fill_diag": lambda L, x, v: x.clone().fill_diagonal_(v),
    "flatten": lambda L, x, v: x.flatten(0, v),
    "flip": lambda L, x, v: x.flip(v),
    "flip2": lambda L, x, v: x.flip((v,)),
    "full": lambda L, x, v: L.full((v,), 2.0),
    "gather": lambda L, x, v: x.gather(v, L.tensor([[0]])),
    "glu": lambda L, x, v: L.nn.functional.glu(L.ones(2, 2), v),
    "gs": lambda L, x, v: L.nn.functional.group_norm(x[None], v),
    "hist": lambda L, x, v: L.histc(x, v),
    "hsplit": lambda L, x, v: x.hsplit(v),
    "interp": lambda L, x, v: L.nn.functional.interpolate(x[None], size=v),
    "kth": lambda L, x, v: x.kthvalue(v).values,
    "layernorm": lambda L, x, v: L.nn.functional.layer_norm(x, (3,), eps=v),
    "linspace": lambda L, x, v: L.linspace(0, 1, v),
    "logsumexp": lambda L, x, v: x.logsumexp((v,)),
    "maxpool": lambda L, x, v: L.nn.functional.max_pool1d(x, v),
    "mean": lambda L, x, v: x.mean((v,)),
    "median": lambda L, x, v: x.median(v).values,
    "mode": lambda L, x, v: x.mode(v).values,
    "movedim": lambda L, x, v: x.movedim(0, v),
    "mp": lambda L, x, v: L.linalg.matrix_power(L.eye(2), v),
    "narrow": lambda L, x, v: x.narrow(1, v, 1),
    "narrow2": lambda L, x, v: x.narrow(v, 1, 1),
    "narrow3": lambda L, x, v: x.narrow(1, 1, v),
    "new": lambda L, x, v: x.new_zeros(v),
    "new2": lambda L, x, v: x.new_zeros((v,)),
    "norm": lambda L, x, v: L.linalg.norm(x, dim=(v,)),
    "pad": lambda L, x, v: L.nn.functional.pad(x, (v, 1)),
    "permute": lambda L, x, v: x.permute(v, 0),
    "permute2": lambda L, x, v: x.permute((v, 0)),
    "prod": lambda L, x, v: x.prod(v),
    "ps": lambda L, x, v: L.nn.functional.pixel_shuffle(L.ones(1, 4, 2, 2), v),
    "rand": lambda L, x, v: L.rand(v).shape,
    "randint": lambda L, x, v: L.randint(5, (v,)).shape,
    "randperm": lambda L, x, v: L.randperm(v),
    "rep_int": lambda L, x, v: x.repeat_interleave(v),
    "repeat": lambda L, x, v: x.repeat(v, 2),
    "repeat2": lambda L, x, v: x.repeat((v, 2)),
    "reshape": lambda L, x, v: x.reshape(v, 6),
    "resize": lambda L, x, v: x.clone().resize_(v, 6).shape,
    "roll": lambda L, x, v: x.roll(v, 0),
    "roll2": lambda L, x, v: x.roll((v,), (0,)),
    "rot90": lambda L, x, v: x.rot90(v),
    "select": lambda L, x, v: x.select(1, v),
    "softmax": lambda L, x, v: L.nn.functional.softmax(x, v),
    "sort": lambda L, x, v: x.sort(v).values,
    "split": lambda L, x, v: x.split(v),
    "split2": lambda L, x, v: x.split([v, 1]),
    "squeeze": lambda L, x, v: x.squeeze(v),
    "stack": lambda L, x, v: L.stack([x], v),
    "std": lambda L, x, v: x.std(v),
    "sum": lambda L, x, v: x.sum((v,)),
    "swap": lambda L, x, v: x.swapaxes(0, v),
    "tile": lambda L, x, v: x.tile(v),
    "tile2": lambda L, x, v: x.tile((v, 2)),
    "topk": lambda L, x, v: x.topk(v).values,
    "trapz": lambda L, x, v: L.trapezoid(x, dim=v),
    "tril": lambda L, x, v: x.tril(v),
    "tsplit": lambda L, x, v: x.tensor_split(v),
    "unbind": lambda L, x, v: x.unbind(v)[0],
    "unf": lambda L, x, v: L.nn.functional.unfold(L.ones(1, 1, 3, 3), v),
    "unflatten": lambda L, x, v: x.unflatten(0, (v, 2)),
    "unfold": lambda L, x, v: x.unfold(1, v, 1),
    "uniq": lambda L, x, v: L.unique(x, dim=v),
    "unsqueeze": lambda L, x, v: x.unsqueeze(v),
    "vander": lambda L, x, v: L.vander(x[0], v),
    "var": lambda L, x, v: x.var((v,)),
    "view": lambda L, x, v: x.view(v, 6),
    "view2": lambda L, x, v: x.view((v, 6)),
    "zeros": lambda L, x, v: L.zeros(v),
    "zeros2": lambda L, x, v: L.zeros(v, 2),
    "zeros3": lambda L, x, v: L.zeros((v, 2)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_numbers_of_another_kind_are_refused_where_pytorch_refuses_them(name):
    taken = {}
    for value in (1, True, 1.0):
        call = lambda L, value=value: CALLS[name](L, L.arange(6.0).view(2, 3), value)
        theirs, ours = outcome(call, torch), outcome(call, torchlike)
        if (theirs.error is None) != (ours.error is None):
            taken[repr(value)] = "refused here" if ours.error else "taken here"
    assert not taken
