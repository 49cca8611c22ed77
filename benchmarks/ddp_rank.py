"""One rank of the benchmark of data-parallel training. `benchmarks.ddp` starts it and sends it the steps to run.

Each line of standard input is a number of steps. The answer is a line `ms [...]` with the milliseconds of each step.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise

SIZES = (2000, 5000, 2500, 1000)
BATCH = 32  # per rank


def of_torch(torch, compiled: bool) -> Callable:
    """Return a function that runs one training step and returns its loss."""
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(0)
    functional, linear = torch.nn.functional, torch.nn.Linear
    layers = [part for a, b in pairwise(SIZES) for part in (linear(a, b), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers[:-1]))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    x, y = torch.randn(BATCH, SIZES[0]), torch.randint(0, SIZES[-1], (BATCH,))

    def step(x, y):
        loss = functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    called = torch.compile(step) if compiled else step
    return lambda: called(x, y).item()


def of_jax() -> Callable:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    address = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"]))
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    draw = np.random.default_rng(0)
    parameters = [
        (draw.uniform(-1, 1, (a, b)).astype("float32") / a**0.5, np.zeros(b, "float32")) for a, b in pairwise(SIZES)
    ]
    everywhere, split = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    parameters = jax.device_put(parameters, everywhere)
    optimizer = optax.adamw(1e-3, weight_decay=1e-2)
    state = jax.jit(optimizer.init, out_shardings=everywhere)(parameters)
    x = jax.make_array_from_process_local_data(split, draw.normal(size=(BATCH, SIZES[0])).astype("float32"))
    y = jax.make_array_from_process_local_data(split, draw.integers(0, SIZES[-1], BATCH))

    def loss_of(parameters, x, y):
        for weight, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        weight, bias = parameters[-1]
        return optax.softmax_cross_entropy_with_integer_labels(x @ weight + bias, y).mean()

    @jax.jit
    def step(parameters, state, x, y):
        loss, grads = jax.value_and_grad(loss_of)(parameters, x, y)
        updates, state = optimizer.update(grads, state, parameters)
        return jnp.float32(loss), optax.apply_updates(parameters, updates), state

    step = jax.jit(step, donate_argnums=(0, 1))

    def run() -> float:
        nonlocal parameters, state
        loss, parameters, state = step(parameters, state, x, y)
        return float(loss)

    return run


def side(name: str) -> Callable:
    if name == "JAX by hand":
        return of_jax()
    if name == "PyTorch":
        import torch

        torch.set_num_threads(1)
        return of_torch(torch, False)
    import torchlike as torch

    return of_torch(torch, name == "torchlike.compile")


def main() -> None:
    step = side(sys.argv[1])
    for line in sys.stdin:
        taken = []
        for _ in range(int(line)):
            started = time.perf_counter()
            step()
            taken.append(1e3 * (time.perf_counter() - started))
        print("ms", json.dumps(taken), flush=True)


if __name__ == "__main__":
    main()
