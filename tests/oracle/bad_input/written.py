"""Results written to given tensors: their permitted dtypes, and overlapping memory."""


def _x(torch):
    return torch.arange(6.0)


def _wide(torch, *shape):
    return torch.zeros(*shape, dtype=torch.float64)


ROWS = {
    "amax": lambda torch: torch.amax(torch.ones(2, 3), 1, out=_wide(torch, 2)),
    "aminmax": lambda torch: torch.aminmax(torch.ones(2, 3), dim=1, out=(torch.ones(2), _wide(torch, 2))),
    "arange": lambda torch: torch.arange(3, dtype=torch.int64, out=torch.zeros(3)),
    "cross": lambda torch: torch.cross(torch.ones(3), torch.ones(3), 0, out=_wide(torch, 3)),
    "cross onto its input": lambda torch: (lambda x: torch.cross(x, torch.ones(3), 0, out=x))(torch.ones(3)),
    "cummax": lambda torch: torch.cummax(torch.ones(3), 0, out=(_wide(torch, 3), torch.zeros(3, dtype=torch.int64))),
    "expand_copy": lambda torch: torch.expand_copy(torch.ones(1), (3,), out=_wide(torch, 3)),
    "gather": lambda torch: torch.gather(torch.ones(2), 0, torch.tensor([0]), out=_wide(torch, 1)),
    "gather onto more of the index": lambda torch: (lambda i: torch.gather(i, 0, i[1:], out=i[:1]))(
        torch.tensor([0, 1, 2])
    ),
    "index_add": lambda torch: torch.index_add(torch.ones(2), 0, torch.tensor([0]), torch.ones(1), out=_wide(torch, 2)),
    "index_select": lambda torch: torch.index_select(torch.ones(2), 0, torch.tensor([0]), out=_wide(torch, 1)),
    "index_select into an expanded tensor": lambda torch: torch.index_select(
        torch.ones(2), 0, torch.tensor([0, 1]), out=torch.ones(1).expand(2)
    ),
    "isin": lambda torch: torch.isin(torch.ones(2), torch.ones(2), out=torch.ones(2)),
    "isneginf": lambda torch: torch.isneginf(torch.ones(2), out=torch.ones(2)),
    "isposinf": lambda torch: torch.isposinf(torch.ones(2), out=torch.ones(2)),
    "kthvalue": lambda torch: torch.kthvalue(
        torch.ones(3), 1, out=(torch.tensor(0.0, dtype=torch.float64), torch.tensor(0))
    ),
    "kthvalue onto its input": lambda torch: (lambda x: torch.kthvalue(x, 1, out=(x, torch.tensor(0))))(torch.ones(3)),
    "linspace": lambda torch: torch.linspace(0, 1, 3, dtype=torch.float32, out=_wide(torch, 3)),
    "masked_select": lambda torch: torch.masked_select(_x(torch), _x(torch) > 2, out=_wide(torch, 3)),
    "max": lambda torch: torch.max(torch.ones(2, 3), 1, out=(_wide(torch, 2), torch.zeros(2, dtype=torch.int64))),
    "mode": lambda torch: torch.mode(torch.ones(2, 3), 1, out=(_wide(torch, 2), torch.zeros(2, dtype=torch.int64))),
    "multinomial": lambda torch: torch.multinomial(torch.ones(3), 2, out=torch.zeros(2)),
    "multinomial of no weight": lambda torch: torch.multinomial(torch.zeros(3), 2, out=torch.zeros(2)),
    "nan_to_num": lambda torch: torch.nan_to_num(torch.ones(3), out=_wide(torch, 3)),
    "ones": lambda torch: torch.ones(2, dtype=torch.float32, out=_wide(torch, 2)),
    "polar": lambda torch: torch.polar(torch.ones(2), torch.ones(2), out=torch.zeros(2, dtype=torch.complex128)),
    "scatter": lambda torch: torch.scatter(torch.ones(2), 0, torch.tensor([0]), 1.0, out=_wide(torch, 2)),
    "scatter onto its source": lambda torch: (
        lambda x: torch.scatter(torch.ones(2), 0, torch.tensor([0, 1]), x, out=x)
    )(torch.ones(2)),
    "signbit": lambda torch: torch.signbit(torch.ones(2), out=torch.ones(2)),
    "slice_scatter": lambda torch: torch.slice_scatter(torch.ones(3), torch.ones(1), 0, 1, 2, out=_wide(torch, 3)),
    "sort": lambda torch: torch.sort(torch.ones(3), out=(_wide(torch, 3), torch.zeros(3, dtype=torch.int64))),
    "take": lambda torch: torch.take(_x(torch), torch.tensor([0]), out=_wide(torch, 1)),
    "take onto its input": lambda torch: (lambda x: torch.take(x, torch.tensor([0, 1]), out=x))(_x(torch)),
    "topk": lambda torch: torch.topk(torch.ones(3), 1, out=(_wide(torch, 1), torch.zeros(1, dtype=torch.int64))),
}
