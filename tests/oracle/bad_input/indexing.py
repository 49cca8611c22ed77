"""Indices, masks, gathering and scattering. Some indices are found to be out of range only during execution."""


def _set_item(torch, shape, index, value):
    torch.ones(*shape)[index] = value


def delete_item(torch):
    del torch.ones(2)[0]


def _embedding(torch, index):
    return torch.nn.functional.embedding(torch.tensor([0, index]), torch.ones(2, 2)).sum().item()


ROWS = {
    "module assigned": lambda torch: torch.ones(2).__setitem__(0, torch.nn.ReLU()),
    "dtype assigned": lambda torch: torch.ones(2).__setitem__(0, torch.float32),
    "generator assigned": lambda torch: torch.ones(2).__setitem__(0, torch.Generator()),
    "integer": lambda torch: torch.ones(3)[3],
    "integer below": lambda torch: torch.ones(3)[-4],
    "integer of dim 1": lambda torch: torch.ones(2, 3)[0, -4],
    "integer of nothing": lambda torch: torch.ones(0)[0],
    "too many": lambda torch: torch.ones(2)[0, 0],
    "too many slices": lambda torch: torch.ones(2)[:, :],
    "too many for a mask": lambda torch: torch.ones(2, 2)[torch.ones(2, 2) > 0, 0],
    "scalar": lambda torch: torch.tensor(1.0)[0],
    "scalar sliced": lambda torch: torch.tensor(1.0)[:],
    "scalar by a tensor": lambda torch: torch.tensor(1.0)[torch.tensor([0])],
    "string": lambda torch: torch.ones(2)["a"],
    "string in a tuple": lambda torch: torch.ones(2, 3)[0, "a"],
    "float": lambda torch: torch.ones(2)[1.5],
    "complex": lambda torch: torch.ones(2)[1j],
    "dict": lambda torch: torch.ones(2)[{}],
    "float of a slice": lambda torch: torch.ones(2)[1.0:],
    "tensor of a slice": lambda torch: torch.ones(4)[torch.tensor([1, 2]) :],
    "negative step": lambda torch: torch.ones(4)[::-1],
    "step of zero": lambda torch: torch.ones(4)[::0],
    "float index": lambda torch: torch.ones(3)[torch.ones(1)],
    "int16 index": lambda torch: torch.ones(3)[torch.ones(1, dtype=torch.int16)],
    "complex index": lambda torch: torch.ones(3)[torch.ones(1) + 1j],
    "boolean mask of another shape": lambda torch: torch.ones(3)[torch.ones(2) > 0],
    "boolean mask of another second dim": lambda torch: torch.ones(3, 2)[torch.ones(3, 3) > 0],
    "boolean mask at a later place": lambda torch: torch.ones(3, 2)[:, torch.ones(3) > 0],
    "boolean list of another length": lambda torch: torch.ones(3)[[True, False]],
    "index tensors that do not broadcast": lambda torch: torch.ones(3, 3)[torch.arange(2), torch.arange(3)],
    "index tensor and mask that do not broadcast": lambda torch: torch.ones(3, 3)[torch.arange(2), torch.ones(3) > 0],
    "ragged list": lambda torch: torch.ones(3)[[[0, 1], [2]]],
    "assignment of another shape": lambda torch: _set_item(torch, (3,), slice(0, 2), torch.ones(3)),
    "assignment of another shape at an index": lambda torch: _set_item(torch, (2, 3), 0, torch.ones(2)),
    "assignment of too many dims": lambda torch: _set_item(torch, (2, 3), 0, torch.ones(2, 3)),
    "assignment of another shape by a tensor": lambda torch: _set_item(
        torch, (3,), torch.tensor([0, 1]), torch.ones(3)
    ),
    "assignment of another number by a mask": lambda torch: _set_item(torch, (3,), torch.ones(3) > 0, torch.ones(2)),
    "assignment by a mask of another shape": lambda torch: _set_item(torch, (3,), torch.ones(2) > 0, 1.0),
    "assignment of text": lambda torch: _set_item(torch, (3,), 0, "a"),
    "assignment of None": lambda torch: _set_item(torch, (3,), 0, None),
    "assignment of a list": lambda torch: _set_item(torch, (2, 3), 0, [1, 2, 3]),
    "assignment of an object": lambda torch: _set_item(torch, (3,), 0, len),
    "assignment out of range": lambda torch: _set_item(torch, (3,), 3, 1.0),
    "assignment at too many": lambda torch: _set_item(torch, (3,), (0, 0), 1.0),
    "assignment at a byte mask": lambda torch: _set_item(torch, (3,), torch.tensor([1, 0, 1]).byte(), 1.0),
    "scatter_reduce by an unknown name": lambda torch: torch.ones(3).scatter_reduce(
        0, torch.tensor([0]), torch.ones(1), reduce="odd"
    ),
    "assignment at text": lambda torch: _set_item(torch, (3,), "a", 1.0),
    "assignment at a float tensor": lambda torch: _set_item(torch, (3,), torch.ones(1), 1.0),
    "assignment of a complex number": lambda torch: _set_item(torch, (3,), 0, 1j),
    "assignment of another dtype by a tensor": lambda torch: _set_item(
        torch, (3,), torch.tensor([0]), torch.ones(1).double()
    ),
    "assignment from another device": lambda torch: _set_item(torch, (3,), slice(None), torch.ones(3, device="meta")),
    "assignment to a scalar": lambda torch: torch.tensor(1.0).__setitem__(0, 2.0),
    "gather dims": lambda torch: torch.ones(2, 3).gather(0, torch.tensor([0])),
    "gather size": lambda torch: torch.ones(2, 3).gather(0, torch.zeros(1, 4).long()),
    "gather dim": lambda torch: torch.ones(2, 3).gather(2, torch.zeros(1, 3).long()),
    "take_along_dim dims": lambda torch: torch.ones(2, 3).take_along_dim(torch.tensor([0]), 0),
    "scatter dims": lambda torch: torch.ones(2, 3).scatter(0, torch.tensor([0]), 1.0),
    "scatter size": lambda torch: torch.ones(2, 3).scatter(0, torch.zeros(3, 4).long(), torch.ones(3, 4)),
    "scatter source": lambda torch: torch.ones(2, 3).scatter(0, torch.zeros(2, 3).long(), torch.ones(1, 3)),
    "scatter index": lambda torch: torch.ones(3).scatter(0, torch.tensor([0.0]), 1.0),
    "scatter reduce": lambda torch: torch.ones(3).scatter(0, torch.tensor([0]), torch.ones(1), reduce="max"),
    "scatter_add dims": lambda torch: torch.ones(2, 3).scatter_add(0, torch.tensor([0]), torch.ones(1)),
    "index_select dims": lambda torch: torch.ones(2, 3).index_select(0, torch.zeros(1, 1).long()),
    "index_select dim": lambda torch: torch.ones(2, 3).index_select(2, torch.tensor([0])),
    "index_add source": lambda torch: torch.ones(2, 3).index_add(0, torch.tensor([0]), torch.ones(1, 2)),
    "index_add number": lambda torch: torch.ones(2, 3).index_add(0, torch.tensor([0]), torch.ones(2, 3)),
    "index_copy source": lambda torch: torch.ones(2, 3).index_copy(0, torch.tensor([0]), torch.ones(1, 2)),
    "index_fill with many": lambda torch: torch.ones(2, 3).index_fill(0, torch.tensor([0]), torch.ones(2)),
    "index_put shape": lambda torch: torch.ones(3).index_put_((torch.tensor([0, 1]),), torch.ones(3)),
    "index_put too many": lambda torch: torch.ones(3).index_put_((torch.tensor([0]), torch.tensor([0])), torch.ones(1)),
    "put_ number": lambda torch: torch.ones(3).put_(torch.tensor([0, 1]), torch.ones(3)),
    # Only these programs read a result. The errors of the others do not depend on values.
    "value of an index tensor": lambda torch: torch.ones(3)[torch.tensor([3])].sum().item(),
    "value of a negative index tensor": lambda torch: torch.ones(3)[torch.tensor([-4])].sum().item(),
    "value of a list": lambda torch: torch.ones(3)[[0, 5]].sum().item(),
    "value of an assignment": lambda torch: torch.ones(3).index_put_((torch.tensor([3]),), torch.ones(1)).sum().item(),
    "value of gather": lambda torch: torch.ones(3).gather(0, torch.tensor([3])).sum().item(),
    "value of scatter": lambda torch: torch.ones(3).scatter(0, torch.tensor([3]), 1.0).sum().item(),
    "value of take": lambda torch: torch.ones(3).take(torch.tensor([3])).sum().item(),
    "value of index_select": lambda torch: torch.ones(3).index_select(0, torch.tensor([3])).sum().item(),
    "value of index_add": lambda torch: torch.ones(3).index_add(0, torch.tensor([3]), torch.ones(1)).sum().item(),
    "value of embedding": lambda torch: _embedding(torch, 2),
    "value of embedding below zero": lambda torch: _embedding(torch, -1),
    "value of a cross_entropy target": lambda torch: torch.nn.functional.cross_entropy(
        torch.ones(2, 3), torch.tensor([0, 3])
    ).item(),
    "value of one_hot": lambda torch: torch.nn.functional.one_hot(torch.tensor([3]), 3).sum().item(),
    "value of one_hot below zero": lambda torch: torch.nn.functional.one_hot(torch.tensor([-1])).sum().item(),
    "integer division by zero": lambda torch: (torch.tensor([1]) // torch.tensor([0])).sum().item(),
    "integer division by the number zero": lambda torch: (torch.tensor([1]) // 0).sum().item(),
    "integer remainder of zero": lambda torch: (1 % torch.tensor([0])).sum().item(),
    "integer division by False": lambda torch: torch.tensor([1, 2], dtype=torch.int8) // torch.tensor([True, False]),
    "integer remainder of a number by False": lambda torch: torch.remainder(7, torch.tensor([True, False])),
    "bool remainder by False": lambda torch: torch.tensor([True]) % torch.tensor([False]),
    "histc over a dim": lambda torch: torch.ones(3).histc(dim=1),
    "integer truncation by zero": lambda torch: torch.tensor([1]).div_(0, rounding_mode="trunc").sum().item(),
    "multinomial of nothing": lambda torch: torch.multinomial(torch.zeros(3), 1).sum().item(),
    "multinomial of a negative weight": lambda torch: torch.multinomial(torch.tensor([1.0, -1.0]), 1).sum().item(),
    "bernoulli above one": lambda torch: torch.bernoulli(torch.full((2,), 2.0)).sum().item(),
    "binary_cross_entropy above one": lambda torch: torch.nn.functional.binary_cross_entropy(
        torch.full((2,), 2.0), torch.ones(2)
    ).item(),
    "repeat_interleave below zero": lambda torch: torch.ones(2).repeat_interleave(torch.tensor([1, -1])).sum().item(),
}
