"""The ways to train that are compared, by the names they have in the table."""

TORCH, COMPILE, JAX, OURS = "PyTorch eager", "torch.compile", "JAX + optax", "torchlike"
WHOLE = "torchlike.compile"  # the whole step, from the forward pass to the optimizer
ALL = (TORCH, COMPILE, JAX, OURS, WHOLE)


def library(contender, threads):
    """The module that the contender's programs call `torch`, limited to so many threads."""
    if contender in (OURS, WHOLE):
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

    torch = library(contender, threads)
    if contender == WHOLE:
        return models_torch.whole_stepper(torch, spec, weights, device)
    return models_torch.stepper(torch, spec, weights, device, compiled=contender == COMPILE)
