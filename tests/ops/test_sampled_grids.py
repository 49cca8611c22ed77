"""`affine_grid` and `grid_sample` with points exactly on pixels, where the gradient is discontinuous."""

import pytest
import torch

import torchlike

THETAS = {"identity": [[1, 0, 0], [0, 1, 0]], "mirrored": [[-1, 0, 0], [0, 1, 0]], "turned": [[0, 1, 0], [-1, 0, 0]]}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("size", [(1, 2, 7, 9), (2, 1, 10, 10), (1, 1, 22, 22)])
def test_on_pixels(size, theta, align, padding):
    seen = []
    for library in (torchlike, torch):
        library.manual_seed(0)
        given = library.tensor([THETAS[theta]] * size[0], dtype=library.float32, requires_grad=True)
        image = library.randn(*size, requires_grad=True)
        grid = library.nn.functional.affine_grid(given, size, align_corners=align)
        grid.retain_grad()
        found = library.nn.functional.grid_sample(image, grid, padding_mode=padding, align_corners=align)
        (found * library.randn(*size)).sum().backward()
        seen.append([t.detach().tolist() for t in (grid, found, grid.grad, image.grad, given.grad)])
    grids, *others = zip(*seen)
    assert grids[0] == grids[1]
    for i, (ours, theirs) in enumerate(others):
        # The last of these tensors is a sum over all pixels. Its rounding error grows with the size of the terms.
        tolerance = {"rtol": 1e-4, "atol": 1e-3} if i == 3 else {}
        torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), **tolerance)
