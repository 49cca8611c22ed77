"""The four ways to train that are compared, by the names they have in the table."""

TORCH, COMPILE, JAX, OURS = "PyTorch eager", "torch.compile", "JAX + optax", "torchlike"
ALL = (TORCH, COMPILE, JAX, OURS)


def library(contender, threads):
    """The module that the contender's programs call `torch`, limited to so many threads."""
    if contender == OURS:
        import torchlike  # its threads are XLA's, which follow the process's affinity

        return torchlike
    import torch

    torch.set_num_threads(threads)
    return torch


def stepper(contender, spec, weights, device, threads):
    """A function that trains on the next batch and returns the loss as a number."""
    if contender == JAX:
        from benchmarks import models_jax

        return models_jax.stepper(spec, weights)
    from benchmarks import models_torch

    return models_torch.stepper(library(contender, threads), spec, weights, device, compiled=contender == COMPILE)
