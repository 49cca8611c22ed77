"""Helpers shared by the programs of several topics."""


def leaf(torch, *shape):
    """Return a leaf of ones that requires grad."""
    return torch.ones(*shape, requires_grad=True)


def made_in_inference_mode(torch, *shape):
    with torch.inference_mode():
        return torch.ones(*shape)
