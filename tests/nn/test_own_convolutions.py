"""Convolution layers that other libraries derive from the convolution base classes."""

import importlib

from tests.oracle import both


def test_a_convolution_of_ones_own():
    """Derive a layer from `_ConvNd`, passing tuples in PyTorch's argument order."""

    def run(L):
        conv = importlib.import_module(f"{L.__name__}.nn.modules.conv")

        class Standardized(conv._ConvNd):
            def __init__(self, n_in, n_out, size):
                super().__init__(n_in, n_out, (size, size), (2, 1), (1, 0), (1, 1), False, (0, 0), 1, True, "zeros")

            def forward(self, x):
                w = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
                return L.nn.functional.conv2d(x, w, self.bias, self.stride, self.padding, self.dilation, self.groups)

        class Scaled(L.nn.Conv2d):
            def forward(self, x):
                return self._conv_forward(x, self.weight * 2, self.bias)

        base = conv._ConvTransposeNd(2, 4, (3,), (1,), (0,), (1,), True, (0,), 2, False, "zeros", dtype=L.float64)
        x = L.randn(1, 3, 6, 6)
        same = Scaled(3, 2, 3, padding="same", padding_mode="reflect")
        return Standardized(3, 2, 3)(x), same(x), base.weight, base.transposed, repr(base)

    both(run)


def test_a_transposed_base_pads_with_zeros_alone():
    def run(L):
        base = importlib.import_module(f"{L.__name__}.nn.modules.conv")._ConvTransposeNd
        base(2, 4, (3,), (1,), (0,), (1,), True, (0,), 2, False, "reflect")

    both(run)
