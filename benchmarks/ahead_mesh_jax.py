"""The training step of `benchmarks.ahead_mesh`, written by hand for JAX: `jax.shard_map` over a mesh of all chips.

As in the other version, parameters and the sums of gradients are float32, and products bfloat16. XLA's partitioner
would sum gradients in bfloat16 and would not reduce and scatter them, so the collectives are written out.
"""

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from benchmarks import models_jax
from benchmarks.ahead_jax import HALF, block, block_shapes, classifier, norm_shapes, shape, training
from benchmarks.ahead_mesh_torch import SIZES

AXIS = "ranks"
ROOT = ("tokens", "positions", "norm.weight", "norm.bias")


def shapes(layers):
    width = SIZES["width"]
    params = {"tokens": shape(-(-SIZES["vocabulary"] // 8) * 8, width), "positions": shape(SIZES["time"], width)}
    params |= norm_shapes("norm", width)
    for layer in range(layers):
        params |= block_shapes(f"{layer}", width)
    return params


def dim_of(x, chips):
    """Return the dim along which FSDP divides a parameter, its gradient or its moment: the first that divides."""
    return next(i for i, length in enumerate(x.shape) if length % chips == 0)


def gathered(shards, dims):
    """Return whole parameters. In backward, their gradients are reduced and scattered."""
    return {name: lax.all_gather(x, AXIS, axis=dims[name], tiled=True) for name, x in shards.items()}


def sees_activations(primitive, *inputs, **options):
    """Return whether backward keeps a result. It gathers the parameters again, and casts them again."""
    return any(x.ndim > 2 for x in inputs)


def forward_of(way, platform, layers, dims):
    """Return the forward pass, a function of (parameters, state, tokens)."""
    is_fsdp = way == "fsdp"

    def run(name, p, x):
        return block(gathered(p, dims) if is_fsdp else p, name, x, SIZES["heads"], True, platform)

    run = jax.checkpoint(run, policy=sees_activations, static_argnums=0) if is_fsdp else run

    def forward(p, state, tokens):
        root = {name: p[name] for name in ROOT}
        root = gathered(root, dims) if is_fsdp else root
        root["tokens"] = root["tokens"][: SIZES["vocabulary"]]
        x = root["tokens"][tokens] + root["positions"]
        for layer in range(layers):
            x = run(f"{layer}", {key: value for key, value in p.items() if key.startswith(f"{layer}.")}, x)
        return models_jax.layer_norm(root, "norm", x).astype(HALF) @ root["tokens"].T.astype(HALF), state

    return forward


def averaged(way, count):
    """Return a part of an optimizer that averages gradients. With FSDP, they are summed already."""

    def update(updates, state, params=None):
        if way == "ddp":
            return lax.pmean(updates, AXIS), state
        return jax.tree.map(lambda grad: grad / count, updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def gpt2(way, platform, chips, layers):
    """Return the jitted step and its arguments: (parameters, moments), which it overwrites, and a batch."""
    mesh, params = jax.sharding.Mesh(chips, (AXIS,)), shapes(layers)
    dims = {name: dim_of(x, len(chips)) for name, x in params.items()}
    tokens = shape(len(chips), SIZES["time"], dtype=jnp.int32)
    optimizer = optax.chain(averaged(way, len(chips)), optax.adamw(1e-3, weight_decay=1e-2))
    loss_on = classifier(forward_of(way, platform, layers, dims))
    step, (params, moments, _, *batch) = training(loss_on, optimizer, params, {}, tokens, tokens)

    def spec(x):
        is_whole = way == "ddp" or not x.ndim
        return PartitionSpec() if is_whole else PartitionSpec(*[None] * dim_of(x, len(chips)), AXIS)

    def inside(held, batch):
        params, moments, _, loss = step(*held, {}, *batch)
        return (params, moments), loss[None]  # each chip returns the loss of its sequence

    specs = jax.tree.map(spec, (params, moments)), PartitionSpec(AXIS)
    mapped = jax.shard_map(inside, mesh=mesh, in_specs=specs, out_specs=specs, check_vma=False)
    place = lambda tree, spec: jax.tree.map(
        lambda x, spec: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec)), tree, spec
    )
    given = place((params, moments), specs[0]), place(tuple(batch), (specs[1], specs[1]))
    return jax.jit(mapped, donate_argnums=0), given
