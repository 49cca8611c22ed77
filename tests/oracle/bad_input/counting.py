"""Histograms, sorted sequences, and writes at indices along one dim."""


def _v(torch):
    return torch.tensor([6.0, 1.0, 3.0])


def _points(torch):
    return torch.arange(6.0).reshape(3, 2)


def _sorted(torch, values=(1.0, 3.0, 5.0, 7.0)):
    return torch.tensor(values)


def _at(torch, *places):
    return torch.tensor(places)


ROWS = {
    "side and right": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), side="left", right=True),
    "side": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), side="foo"),
    "sorter of another size": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), sorter=_at(torch, 1, 0)),
    "sorter out of range": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), sorter=_at(torch, 1, 0, 2, 7)),
    "sorter of floats": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), sorter=_at(torch, 1.0, 0, 2, 3)),
    "places as floats": lambda torch: torch.searchsorted(_sorted(torch), _v(torch), out=torch.zeros(3)),
    "places in int32": lambda torch: torch.bucketize(_v(torch), _sorted(torch), out=torch.zeros(3, dtype=torch.int32)),
    "places in int64": lambda torch: torch.searchsorted(
        _sorted(torch), _v(torch), out_int32=True, out=torch.zeros(3, dtype=torch.int64)
    ),
    "number in no sequence": lambda torch: torch.searchsorted(torch.tensor(1.0), 2.0),
    "numbers in no sequence": lambda torch: torch.searchsorted(torch.tensor(1.0), _v(torch)),
    "complex sequence": lambda torch: torch.searchsorted(_sorted(torch, (1j, 2)), _v(torch)),
    "histogram from high to low": lambda torch: torch.histogram(_v(torch), 3, range=(5.0, 0.0)),
    "histogram without end": lambda torch: torch.histogram(_v(torch), 3, range=(0.0, float("inf"))),
    "histogram of infinity": lambda torch: torch.histogram(torch.tensor([1.0, float("inf")]), 3),
    "histogram of half a range": lambda torch: torch.histogram(_v(torch), 3, range=(1.0,)),
    "histogram of no bins": lambda torch: torch.histogram(_v(torch), 0),
    "histogram of one edge": lambda torch: torch.histogram(_v(torch), _at(torch, 0.0)),
    "histogram of edges and a range": lambda torch: torch.histogram(_v(torch), _at(torch, 0.0, 1), range=(0.0, 1.0)),
    "histogram of edges in double": lambda torch: torch.histogram(_v(torch), _at(torch, 0.0, 1).double()),
    "histogram of edges in a matrix": lambda torch: torch.histogram(_v(torch), torch.ones(1, 2)),
    "histogram of integers": lambda torch: torch.histogram(_at(torch, 1, 2), 3),
    "histogram weights": lambda torch: torch.histogram(_v(torch), 3, weight=_at(torch, 1.0, 2)),
    "histogram weights of integers": lambda torch: torch.histogram(_v(torch), 3, weight=_at(torch, 1, 2, 3)),
    "histogram into double": lambda torch: torch.histogram(_v(torch), 3, out=(torch.zeros(3).double(), torch.zeros(4))),
    "histogramdd of a vector": lambda torch: torch.histogramdd(_v(torch), 3),
    "histogramdd range": lambda torch: torch.histogramdd(_points(torch), [2, 3], range=[0.0, 1.0]),
    "histogramdd bins": lambda torch: torch.histogramdd(_points(torch), [2, 3, 4]),
    "histogramdd edges": lambda torch: torch.histogramdd(_points(torch), [_at(torch, 0.0, 1)]),
    "histogramdd of no bins": lambda torch: torch.histogramdd(_points(torch), [2, 0]),
    "histogramdd weights": lambda torch: torch.histogramdd(_points(torch), 3, weight=_at(torch, 1.0, 2)),
    "histc of integers": lambda torch: torch.histc(_at(torch, 1, 2), 3),
    "histc of infinity": lambda torch: torch.histc(torch.tensor([1.0, float("inf")]), 3).sum().item(),
    "bincount of floats": lambda torch: torch.bincount(_v(torch)),
    "bincount of bools": lambda torch: torch.bincount(_v(torch) > 2),
    "bincount of less than none": lambda torch: torch.bincount(_at(torch, 1), minlength=-5),
    "cartesian_prod of nothing": lambda torch: torch.cartesian_prod(),
    "cartesian_prod of a list": lambda torch: torch.cartesian_prod([_v(torch), _v(torch)]),
    "unravel_index of a word": lambda torch: torch.unravel_index(_at(torch, 5), "a"),
    "unique of a dim of a number": lambda torch: torch.unique(torch.tensor(1.0), dim=0),
    "index_reduce source": lambda torch: torch.index_reduce(_v(torch), 0, _at(torch, 0), _at(torch, 2.0, 3), "prod"),
    "index_reduce dim": lambda torch: torch.index_reduce(_points(torch), 5, _at(torch, 0), torch.ones(1, 2), "prod"),
    "index_reduce index": lambda torch: torch.index_reduce(
        _points(torch), 0, torch.zeros(1, 1).long(), torch.ones(1, 2), "prod"
    ),
    "index_reduce index of floats": lambda torch: torch.index_reduce(
        _points(torch), 0, _at(torch, 0.0), torch.ones(1, 2), "prod"
    ),
    "index_reduce dtype": lambda torch: torch.index_reduce(
        _points(torch), 0, _at(torch, 0), torch.ones(1, 2).double(), "prod"
    ),
    "index_reduce rows": lambda torch: torch.index_reduce(_points(torch), 0, _at(torch, 0), torch.ones(1, 1), "prod"),
    "scatter of nothing": lambda torch: torch.scatter(_v(torch), 0, _at(torch, 0)),
    "masked_fill with a complex tensor": lambda torch: _at(torch, 1, 2).masked_fill(
        _at(torch, True, False), torch.tensor(1 + 1j)
    ),
    "narrow from a fraction": lambda torch: _v(torch).narrow(0, torch.tensor(1.0), 1),
    "roll of a number": lambda torch: torch.roll(torch.tensor(1.0), 0, 0),
    "tensor_split at a word": lambda torch: torch.tensor_split(_v(torch), "a"),
}
