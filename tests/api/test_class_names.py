"""The modules that `repr` shows for public classes: PyTorch's, which also contain the class, so that pickling works."""

import copy
import importlib
import pickle

import pytest
import torch

import torchlike

MODULES = (
    "ao.quantization.observer",
    "autograd",
    "autograd.graph",
    "cuda",
    "distributed",
    "distributed.checkpoint",
    "distributed.fsdp",
    "distributions",
    "distributions.transforms",
    "export",
    "jit",
    "nn",
    "optim",
    "optim.lr_scheduler",
    "profiler",
    "serialization",
    "sparse",
    "utils.data",
    "utils.tensorboard",
)
# A class that is not implemented, and an object whose attributes cannot be read without a warning.
PRIVATE = {"QuantizedHuggingFaceStorageReader", "reduce_op"}


def classes(name):
    """Return the pairs of PyTorch's and torchlike's public classes of a module."""
    theirs, ours = [importlib.import_module(f"{package}.{name}") for package in ("torch", "torchlike")]
    for each in dir(ours):
        pair = getattr(theirs, each, None), getattr(ours, each)
        if not each.startswith("_") and each not in PRIVATE and all(isinstance(x, type) for x in pair):
            yield pair


@pytest.mark.parametrize("name", MODULES)
def test_classes_name_public_modules(name):
    for theirs, ours in classes(name):
        if ours.__module__.startswith("torchlike"):
            assert "._" not in ours.__module__ or "._" in theirs.__module__, ours
            found = importlib.import_module(ours.__module__)
            assert getattr(found, ours.__qualname__) is ours, ours


def test_schedulers_are_named_and_pickled():
    assert repr(torchlike.optim.lr_scheduler.StepLR) == repr(torch.optim.lr_scheduler.StepLR).replace(
        "torch", "torchlike"
    )
    transform = torchlike.distributions.AffineTransform(1.0, 2.0)
    assert pickle.loads(pickle.dumps(transform))(3.0) == copy.deepcopy(transform)(3.0) == 7.0
    assert pickle.loads(pickle.dumps(torchlike.optim.lr_scheduler.StepLR)) is torchlike.optim.lr_scheduler.StepLR
    old = b"ctorchlike.optim.lr_scheduler._decay\nStepLR\n."  # a file of an earlier version
    assert pickle.loads(old) is torchlike.optim.lr_scheduler.StepLR
