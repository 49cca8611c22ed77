"""Builders of sparse tensors for either library, and their observable properties."""

I = [[0, 1, 1, 1], [2, 0, 2, 0]]
V = [3.0, 4.0, 5.0, 6.0]


def coo(torch, values=V, size=(2, 3), coalesced=False, **options):
    """Return a COO tensor with a duplicate index, coalesced if requested."""
    values = torch.tensor(values) if isinstance(values, list) else values
    made = torch.sparse_coo_tensor(torch.tensor(I), values, size, **options)
    return made.coalesce() if coalesced else made


def hybrid(torch, **options):
    """Return a COO tensor with a dense dim."""
    return coo(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [-7.0, 8.0]], (2, 3, 2), **options)


def csr(torch, values=(3.0, 4.0, 5.0), **options):
    """Return a CSR matrix."""
    return torch.sparse_csr_tensor(
        torch.tensor([0, 1, 3]), torch.tensor([2, 0, 2]), torch.tensor(values), (2, 3), **options
    )


def seen(t):
    """Convert a result to tuples of dense tensors and other values, which are compared item by item."""
    if isinstance(t, tuple | list):
        return tuple(seen(x) for x in t)
    layout = str(getattr(t, "layout", "")).removeprefix("torch.").removeprefix("torchlike.")
    if layout == "sparse_coo":
        kept = t._indices(), t._values(), t.is_coalesced()
    elif layout == "sparse_csr":
        kept = t.crow_indices(), t.col_indices(), t.values().detach()
    elif layout == "sparse_csc":
        kept = t.ccol_indices(), t.row_indices(), t.values().detach()
    else:
        return t.detach() if layout == "strided" else t
    return layout, kept, tuple(t.shape), t.requires_grad, repr(t.detach())
