"""Modes that are exited in a different order than they were entered."""

import itertools
import threading

import pytest
import torch

import torchlike

MODES = ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled")


def seen(library, names, order):
    """Enter modes, exit them in this order, and record after each exit the properties of a product.

    The program runs in a new thread, which starts without modes.
    """
    found = []

    def work():
        modes = [getattr(library, name)(*[True] * (name == "set_grad_enabled")) for name in names]
        for mode in modes:
            mode.__enter__()
        for i in order:
            modes[i].__exit__(None, None, None)
            inference = library.is_inference_mode_enabled()
            x = library.ones(2, requires_grad=not inference) * 3
            found.append((x.requires_grad, x.is_inference(), inference))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


@pytest.mark.parametrize("names", list(itertools.product(MODES, repeat=2)), ids="-".join)
def test_modes_left_in_any_order(names):
    for order in ((0, 1), (1, 0)):
        assert len(seen(torchlike, names, order)) == 2
        assert seen(torchlike, names, order) == seen(torch, names, order)
