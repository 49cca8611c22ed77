"""Every view operator over every kind of memory.

The tests compare strides, offset and base, and check that a write is visible through all aliases.
"""

import pytest

from tests.oracle import both

LAYOUTS = {
    "row-major": lambda torch: torch.arange(24.0).reshape(2, 3, 4),
    "permuted": lambda torch: torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
    "transposed": lambda torch: torch.arange(24.0).reshape(4, 6).t(),
    "with gaps": lambda torch: torch.arange(96.0).reshape(4, 6, 4)[1::2, ::2, 1:],
    "one row": lambda torch: torch.arange(24.0).reshape(2, 3, 4)[1],
    "expanded": lambda torch: torch.arange(8.0).reshape(2, 1, 4).expand(2, 3, 4),
    "channels last": lambda torch: torch.arange(48.0).reshape(2, 3, 2, 4).contiguous(memory_format=torch.channels_last),
    "ones": lambda torch: torch.arange(3.0).reshape(1, 3, 1, 1)[:, 1:],
    "flat": lambda torch: torch.arange(12.0)[2:10],
    "one element": lambda torch: torch.arange(4.0)[2],
    "nothing": lambda torch: torch.zeros(2, 0, 4),
    "windows": lambda torch: torch.arange(10.0).unfold(0, 4, 2),
    "any strides": lambda torch: torch.arange(40.0).as_strided((2, 3, 4), (17, 1, 4), 3),
    "complex": lambda torch: torch.complex(torch.arange(12.0), -torch.arange(12.0)).reshape(3, 4)[1:],
}
WRITTEN = ("row-major", "permuted", "with gaps", "expanded", "one element", "nothing", "complex")
VIEWS = {
    "view -1": lambda x: x.view(-1),
    "view merged": lambda x: x.view(x.shape[0], -1),
    "view split": lambda x: x.view(*x.shape[:-1], 2, -1),
    "view same": lambda x: x.view(x.shape),
    "view_as": lambda x: x.view_as(x.new_zeros(x.numel())),
    "reshape -1": lambda x: x.reshape(-1),
    "reshape split": lambda x: x.reshape(2, -1),
    "reshape same": lambda x: x.reshape(x.shape),
    "reshape_as": lambda x: x.reshape_as(x.new_zeros(x.numel())),
    "expand": lambda x: x.expand(2, *x.shape),
    "expand -1": lambda x: x.expand(*[-1] * x.ndim),
    "expand_as": lambda x: x.expand_as(x.new_zeros(3, *x.shape)),
    "permute": lambda x: x.permute(*range(x.ndim - 1, -1, -1)),
    "transpose": lambda x: x.transpose(0, -1),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "H": lambda x: x.H,
    "mH": lambda x: x.mH,
    "adjoint": lambda x: x.adjoint(),
    "select": lambda x: x.select(0, 1),
    "select last": lambda x: x.select(-1, -1),
    "narrow": lambda x: x.narrow(0, 1, 1),
    "narrow from the end": lambda x: x.narrow(-1, -2, 1),
    "slice": lambda x: x[1:],
    "slice steps": lambda x: x[..., ::2],
    "slice nothing": lambda x: x[:, 5:],
    "slice whole": lambda x: x[:],
    "ellipsis": lambda x: x[...],
    "none": lambda x: x[None],
    "indices": lambda x: x[0, ..., -1],
    "unfold": lambda x: x.unfold(-1, 2, 1),
    "unfold 0": lambda x: x.unfold(0, 1, 1),
    "diagonal": lambda x: x.diagonal(),
    "diagonal above": lambda x: x.diagonal(1, -2, -1),
    "diagonal below": lambda x: x.diagonal(-1, 0, 1),
    "linalg.diagonal": None,
    "split": lambda x: x.split(1),
    "split 2": lambda x: x.split(2, -1),
    "split sizes": lambda x: x.split([1, x.shape[0] - 1]),
    "split_with_sizes": lambda x: x.split_with_sizes([1, x.shape[-1] - 1], -1),
    "chunk": lambda x: x.chunk(2),
    "chunk last": lambda x: x.chunk(3, -1),
    "tensor_split": lambda x: x.tensor_split(3),
    "tensor_split places": lambda x: x.tensor_split((1, 2), -1),
    "unbind": lambda x: x.unbind(),
    "unbind last": lambda x: x.unbind(-1),
    "iteration": lambda x: tuple(iter(x)),
    "hsplit": lambda x: x.hsplit(2),
    "vsplit": lambda x: x.vsplit(2),
    "dsplit": lambda x: x.dsplit(2),
    "hsplit places": lambda x: x.hsplit([1]),
    "squeeze": lambda x: x.squeeze(),
    "squeeze 0": lambda x: x.squeeze(0),
    "squeeze dims": lambda x: x.squeeze((0, -1)),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "unsqueeze last": lambda x: x.unsqueeze(-1),
    "flatten": lambda x: x.flatten(),
    "flatten from 1": lambda x: x.flatten(1),
    "flatten to 1": lambda x: x.flatten(0, 1),
    "ravel": lambda x: x.ravel(),
    "unflatten": lambda x: x.unflatten(-1, (2, -1)),
    "unflatten 0": lambda x: x.unflatten(0, (1, -1)),
    "movedim": lambda x: x.movedim(0, -1),
    "movedim two": lambda x: x.movedim((0, 1), (1, 0)),
    "moveaxis": lambda x: x.moveaxis(-1, 0),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "swapdims": lambda x: x.swapdims(-1, 0),
    "view_as_real": None,
    "view_as_complex": None,
    "view int32": None,
    "view int16": None,
    "view float64": None,
    "view complex": None,
    "view uint8": None,
    "as_strided": lambda x: x.as_strided((2, 2), (1, 2)),
    "as_strided from": lambda x: x.as_strided((3,), (2,), 1),
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "view_copy": None,
    "t_copy": None,
    "unbind_copy": None,
    "slice_copy": None,
    "contiguous": lambda x: x.contiguous(),
    "to": lambda x: x.to(x.dtype),
    "positive": lambda x: x.positive(),
    "conj": lambda x: x.conj(),
    "broadcast_to": lambda x: x.broadcast_to((2, *x.shape)),
    "atleast_3d": None,
    "rot": lambda x: x.rot90(1, (0, 1)) if x.ndim > 1 else x,
    "unsafe_split": lambda x: x.unsafe_split(1),
    "unsafe_chunk": lambda x: x.unsafe_chunk(2),
    "diag": lambda x: x.diag() if x.ndim < 3 else x,
    "squeeze chain": lambda x: x.unsqueeze(1).squeeze(1).transpose(0, -1)[..., :1],
    "view of view": lambda x: x[0].unsqueeze(-1).expand(*x.shape[1:], 2),
    "select narrow permute": lambda x: x.transpose(0, 1)[0].narrow(0, 0, 1).unsqueeze(0),
}
VIEWS |= {
    "linalg.diagonal": lambda x, torch: torch.linalg.diagonal(x),
    "view_as_real": lambda x, torch: torch.view_as_real(x),
    "view_as_complex": lambda x, torch: torch.view_as_complex(x.unflatten(-1, (-1, 2))),
    "view int32": lambda x, torch: x.view(torch.int32),
    "view int16": lambda x, torch: x.view(torch.int16),
    "view float64": lambda x, torch: x.view(torch.float64),
    "view complex": lambda x, torch: x.view(torch.complex64),
    "view uint8": lambda x, torch: x.view(torch.uint8),
    "view_copy": lambda x, torch: torch.view_copy(x, (-1, 2)),
    "t_copy": lambda x, torch: torch.t_copy(x),
    "unbind_copy": lambda x, torch: torch.unbind_copy(x, -1),
    "slice_copy": lambda x, torch: torch.slice_copy(x, -1, 1, None, 2),
    "atleast_3d": lambda x, torch: torch.atleast_3d(x),
}


def seen(torch, layout, view):
    x = LAYOUTS[layout](torch)
    function = VIEWS[view]
    found = function(x, torch) if function.__code__.co_argcount == 2 else function(x)
    results = list(found) if isinstance(found, tuple | list) else [found]
    origin = x if x._base is None else x._base
    facts = []
    for r in results:
        base = "none" if r._base is None else "origin" if r._base is origin else "x" if r._base is x else "another"
        shared = r.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        apart = r.data_ptr() - x.data_ptr() if shared and r.numel() else None
        facts.append((r.stride(), r.storage_offset(), base, r._is_view(), r.is_contiguous(), r is x, apart))
    before = [r.tolist() for r in results]
    wrote = []
    for r in results[:2] if layout in WRITTEN and not view.startswith("unfold") else ():  # unfolded views overlap
        try:
            r.mul_(2) if r.dtype.is_floating_point or r.dtype.is_complex else r.bitwise_xor_(1)
        except RuntimeError as error:
            wrote.append(str(error))
    return facts, type(found).__name__, before, wrote, results, x, origin


# Excluded, because PyTorch appends its C++ stack trace to the error message.
NOT_ALIKE = {(view, "one element") for view in ("unflatten", "unflatten 0", "view_as_complex")}


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("view", VIEWS)
def test_view(view):
    for layout in LAYOUTS:
        if (view, layout) not in NOT_ALIKE:
            both(lambda torch, layout=layout: seen(torch, layout, view))
