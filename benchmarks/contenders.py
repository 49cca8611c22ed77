"""The training methods that are compared. Each is identified by its name in the table."""

TORCH, COMPILE, JAX, OURS = "PyTorch eager", "torch.compile", "JAX + optax", "torchlike"
WHOLE = "torchlike.compile"  # the whole step, from the forward pass to the optimizer
ALL = (TORCH, COMPILE, JAX, OURS, WHOLE)


def library(contender, threads):
    """Return the module that the contender's programs call `torch`. PyTorch is limited to this number of threads."""
    if contender in (OURS, WHOLE):
        import torchlike  # XLA's thread count follows the process's CPU affinity

        return torchlike
    import torch

    torch.set_num_threads(threads)
    return torch


def stepper(contender, spec, weights, device, threads):
    """Return a function that trains on the next batch and returns the loss as a number."""
    if contender == JAX:
        from benchmarks import models_jax

        return models_jax.stepper(spec, weights)
    from benchmarks import models_torch

    torch = library(contender, threads)
    if contender == WHOLE:
        return models_torch.whole_stepper(torch, spec, weights, device)
    return models_torch.stepper(torch, spec, weights, device, compiled=contender == COMPILE)
