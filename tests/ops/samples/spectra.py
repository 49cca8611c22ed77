"""Samples of short-time Fourier transforms, finite differences, distances, histograms, and writes through views."""

import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal, uniform

SOUND = normal(2, 12, dtype=np.float64)
WINDOW = uniform(4, low=0.5, high=1.0, dtype=np.float64)
SPECTRA = normal(2, 3, 11, dtype=np.complex128)
GRID = normal(4, 5, dtype=np.float64)
POINTS = array(0.0, 1.0, 1.5, 3.0, dtype=np.float64)
EDGES = array(-2.0, 0.0, 0.5, 2.0)
COMPOSED = "PyTorch names it after the operator, here it is made of others"


def slices(*calls: Sample) -> list[Sample]:
    return [s.without_gradient(COMPOSED) for s in calls]


SAMPLES = {
    "stft": slices(
        Sample(SOUND, 4, window=WINDOW, return_complex=True),
        Sample(SOUND[0], 4, return_complex=False),
        Sample(SOUND, 4, 2, 3, center=False, normalized=True, return_complex=True),
        Sample(SOUND, 4, onesided=False, return_complex=True),
        Fails(SOUND, 4),
        Fails(SOUND, 4, center=False, return_complex=True, window=WINDOW[:3]),
        Fails(SOUND, 40, center=False, return_complex=True),
        Fails(SOUND, 4, 0, 5, return_complex=True),
        Fails(integers(10), 4, center=False, return_complex=True),
    ),
    "istft": slices(
        Sample(SPECTRA, 4, window=WINDOW),
        Sample(SPECTRA, 4, window=WINDOW, length=15),
        Sample(SPECTRA[0], 4, 2, normalized=True, window=WINDOW),
        Fails(SPECTRA[:, :2], 4, window=WINDOW),
        Fails(GRID, 4),
        Fails(SPECTRA, 4, 5, window=WINDOW),
        Fails(SPECTRA, 4, window=WINDOW[:3]),
    ),
    "gradient": [
        Sample(GRID),
        Sample(GRID, spacing=2.0, dim=1),
        Sample(GRID, edge_order=2),
        Sample(integers(3, 4)),
        Sample(GRID, spacing=[2.0, 0.5], dim=(1, 0)),
        Fails(GRID, edge_order=3),
        Fails(GRID[:1]),
    ],
    "renorm": slices(
        Sample(GRID, 2.0, 0, 1.0),
        Sample(GRID, 1, 1, 0.5),
        Sample(GRID * 0, 2, 0, 1),
        Fails(GRID, -1, 0, 1),
        Fails(GRID, 2, 0, -1),
        Fails(GRID[0], 2, 0, 1),
    ),
    "nn.functional.pdist": slices(Sample(GRID), Sample(GRID, 1.0), Sample(GRID, 0.0), Fails(GRID[0]), Fails(GRID, -1)),
    "frexp": [Sample(GRID), Sample(array(0.0, 8.0, -0.3)), Fails(integers(3))],
    "histogram": slices(
        Sample(GRID, 3),
        Sample(GRID, 4, range=(-1.0, 1.0)),
        Sample(normal(9), EDGES),
        Sample(normal(9), 4, density=True),
    ),
    "trapz": slices(Sample(GRID), Sample(GRID, dx=0.5, dim=0), Sample(GRID[:, 0], POINTS)),
    "select_scatter": slices(Sample(GRID, GRID[0], 0, 2), Sample(GRID, GRID[:, 0], -1, -1), Fails(GRID, GRID[0], 1, 2)),
    "slice_scatter": slices(Sample(GRID, GRID[:2], 0, 1, 3), Sample(GRID, GRID[:, :3], 1, 0, 5, 2)),
    "diagonal_scatter": slices(Sample(GRID, GRID[0, :4]), Sample(GRID, GRID[0, :3], offset=-1)),
    "as_strided_scatter": slices(Sample(GRID, GRID[0, :3], (3,), (2,), 1)),
}
