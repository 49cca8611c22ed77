"""Samples of discrete Fourier transforms."""

import numpy as np

from tests.ops.sample import Fails, Sample, integers, normal

REAL, GRID = normal(3, 8), normal(2, 4, 6)
COMPLEX, CUBE = normal(3, 5, dtype=np.complex64), normal(2, 4, 5, dtype=np.complex64)


def close(*samples: Sample) -> list[Sample]:
    return [s.loosely("another order of sums", rtol=1e-4, atol=1e-4) for s in samples]


INNERMOST = "PyTorch leaves the dim that it transforms last innermost"
SAMPLES = {
    "fft.fft": [
        *close(Sample(COMPLEX), Sample(REAL), Sample(REAL, 5), Sample(COMPLEX, 7, 0, "ortho"), Sample(integers(4))),
        Fails(REAL, 0),
        Fails(REAL, dim=2),
        Fails(REAL.astype(np.float16)),
        Fails(REAL, norm="none"),
    ],
    "fft.ifft": close(Sample(COMPLEX), Sample(REAL, dim=0), Sample(COMPLEX, norm="forward")),
    "fft.rfft": [*close(Sample(REAL), Sample(REAL, 5), Sample(REAL, dim=0, norm="ortho")), Fails(COMPLEX)],
    "fft.irfft": [*close(Sample(COMPLEX), Sample(COMPLEX, 7), Sample(COMPLEX, dim=0)), Fails(normal(1))],
    "fft.hfft": close(Sample(COMPLEX), Sample(COMPLEX, 7)),
    "fft.ihfft": close(Sample(REAL), Sample(REAL, 5)),
    "fft.fftn": [
        *close(Sample(CUBE), Sample(GRID, s=(3, 3), dim=(1, 2)), Sample(GRID, norm="ortho")),
        Fails(GRID, (2,), (0, 1)),
        Fails(GRID, dim=(0, 0)),
    ],
    "fft.ifftn": close(Sample(CUBE), Sample(CUBE, dim=(1, 2))),
    "fft.rfftn": close(Sample(GRID), Sample(GRID, dim=(1, 2))),
    "fft.irfftn": close(Sample(CUBE), Sample(CUBE, s=(4, 6))),
    "fft.fft2": [*close(Sample(CUBE), Sample(GRID)), Fails(normal(3))],
    "fft.ifft2": close(Sample(CUBE)),
    "fft.rfft2": close(Sample(GRID), Sample(GRID, (3, 5))),
    "fft.irfft2": close(Sample(CUBE)),
    "fft.hfft2": close(Sample(CUBE), Sample(CUBE, norm="ortho")),
    "fft.hfftn": close(Sample(CUBE), Sample(CUBE, dim=0).any_stride(INNERMOST)),
    "fft.ihfft2": close(Sample(GRID).any_stride(INNERMOST)),
    "fft.ihfftn": close(*[Sample(GRID, norm=n).any_stride(INNERMOST) for n in (None, "forward")]),
    "fft.fftshift": [Sample(REAL), Sample(CUBE, 1), Sample(CUBE, (0, 2))],
    "fft.ifftshift": [Sample(REAL), Sample(CUBE, 2)],
    "fft.fftfreq": [Sample(5), Sample(6, 0.5), Sample(0), Sample(3, 0)],
    "fft.rfftfreq": [Sample(5), Sample(6, d=0.5), Sample(0), Sample(3, 0.0)],
}
