"""Histograms whose elements lie on the edges of intervals."""

import pytest

from tests.oracle import both


@pytest.mark.parametrize("bins", [7, 33, 100])
@pytest.mark.parametrize("span", [(0, 1), (-1, 3), (1 / 7, 6 / 7), (0.1, 0.3)])
def test_edges(bins, span):
    def program(torch):
        low, high = span
        x = torch.linspace(low, high, 57)
        points = torch.stack([x, x.flip(0)], 1)
        one, many = torch.histogram(x, bins), torch.histogramdd(points, [bins, 3])
        return *one, many.hist, *many.bin_edges, *torch.histogram(x.double(), bins, range=span), torch.histc(x, bins)

    both(program)
