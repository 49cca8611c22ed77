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
from benchmarks.ahead_jax import (
    HALF,
    attended,
    block,
    block_shapes,
    classifier,
    half_linear,
    norm_shapes,
    shape,
    training,
)
from benchmarks.ahead_mesh_torch import SIZES, TP_HEADS

AXIS = "ranks"
ROOT = ("tokens", "positions", "norm.weight", "norm.bias")
# The dim along which tensor parallelism divides parameters of a block. It divides no other parameters.
TP_DIMS = {"qkv.weight": 0, "qkv.bias": 0, "up.weight": 0, "up.bias": 0, "project.weight": 1, "down.weight": 1}


def shapes(layers):
    width = SIZES["width"]
    params = {"tokens": shape(-(-SIZES["vocabulary"] // 8) * 8, width), "positions": shape(SIZES["time"], width)}
    params |= norm_shapes("norm", width)
    for layer in range(layers):
        params |= block_shapes(f"{layer}", width)
    return params


def dims_of(way, params, chips):
    """Return the dims along which parameters and their moments are divided. Parameters that are whole have none.

    FSDP divides each parameter along the first dim whose length is a multiple of the number of chips.
    """
    if way == "fsdp":
        return {name: next(i for i, length in enumerate(x.shape) if length % chips == 0) for name, x in params.items()}
    parts = {name: name.partition(".")[2] for name in params if way == "tp"}
    return {name: TP_DIMS[part] for name, part in parts.items() if part in TP_DIMS}


def gathered(shards, dims):
    """Return whole parameters. In backward, their gradients are reduced and scattered."""
    return {name: lax.all_gather(x, AXIS, axis=dims[name], tiled=True) for name, x in shards.items()}


@jax.custom_vjp
def entered(x):
    """Return x, which each chip multiplies by its part of a weight. The gradients of the chips are summed."""
    return x


entered.defvjp(lambda x: (x, None), lambda _, grad: (lax.psum(grad, AXIS),))


@jax.custom_vjp
def summed(x):
    """Return the sum of the chips' products. Its gradient is that of each product."""
    return lax.psum(x, AXIS)


summed.defvjp(lambda x: (lax.psum(x, AXIS), None), lambda _, grad: (grad,))


def parallel_block(p, name, x, platform):
    """Return a block of tensor parallelism: each chip has some of the heads and some of the hidden units."""
    B, T, D = x.shape
    qkv = half_linear(p, f"{name}.qkv", entered(models_jax.layer_norm(p, f"{name}.norm1", x)))
    q, k, v = (part.reshape(B, T, -1, D // TP_HEADS) for part in jnp.split(qkv, 3, -1))
    x = x + of_rows(p, f"{name}.project", attended(q, k, v, True, platform).reshape(B, T, -1))
    hidden = half_linear(p, f"{name}.up", entered(models_jax.layer_norm(p, f"{name}.norm2", x)))
    return x + of_rows(p, f"{name}.down", jax.nn.gelu(hidden, approximate=False))


def of_rows(p, name, x):
    """Return a linear layer whose inputs are divided over the chips."""
    return summed(x.astype(HALF) @ p[f"{name}.weight"].T.astype(HALF)) + p[f"{name}.bias"].astype(HALF)


def sees_activations(primitive, *inputs, **options):
    """Return whether backward keeps a result. It gathers the parameters again, and casts them again."""
    return any(x.ndim > 2 for x in inputs)


def forward_of(way, platform, layers, dims):
    """Return the forward pass, a function of (parameters, state, tokens)."""
    is_fsdp = way == "fsdp"

    def run(name, p, x):
        return block(gathered(p, dims) if is_fsdp else p, name, x, SIZES["heads"], True, platform)

    if way == "tp":
        run = lambda name, p, x: parallel_block(p, name, x, platform)
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
    """Return a part of an optimizer that averages gradients. FSDP has summed them already. TP has one sequence."""
    change = {
        "ddp": lambda updates: lax.pmean(updates, AXIS),
        "fsdp": lambda updates: jax.tree.map(lambda grad: grad / count, updates),
        "tp": lambda updates: updates,
    }[way]
    return optax.GradientTransformation(
        lambda params: optax.EmptyState(), lambda updates, state, params=None: (change(updates), state)
    )


def gpt2(way, platform, chips, layers, form="whole"):
    """Return the jitted step and its arguments: (parameters, moments), which it overwrites, and a batch.

    With the form "forward", return the jitted loss of the same arguments.
    """
    mesh, params = jax.sharding.Mesh(chips, (AXIS,)), shapes(layers)
    dims, batch_spec = dims_of(way, params, len(chips)), PartitionSpec() if way == "tp" else PartitionSpec(AXIS)
    tokens = shape(1 if way == "tp" else len(chips), SIZES["time"], dtype=jnp.int32)
    optimizer = optax.chain(averaged(way, len(chips)), optax.adamw(1e-3, weight_decay=1e-2))
    loss_on = classifier(forward_of(way, platform, layers, dims))
    step, (params, moments, _, *batch) = training(loss_on, optimizer, params, {}, tokens, tokens)

    def spec(path, x):
        dim = dims.get(getattr(path[-1], "key", None))
        return PartitionSpec() if dim is None else PartitionSpec(*[None] * dim, AXIS)

    def inside(held, batch):
        if form == "forward":
            return held, loss_on(held[0], {}, *batch)[0][None]
        params, moments, _, loss = step(*held, {}, *batch)
        return (params, moments), loss[None]  # each chip returns its loss

    state_specs = jax.tree_util.tree_map_with_path(spec, (params, moments))
    mapped = jax.shard_map(
        inside,
        mesh=mesh,
        in_specs=(state_specs, batch_spec),
        out_specs=(state_specs, PartitionSpec(AXIS)),
        check_vma=False,
    )
    place = lambda tree, spec: jax.tree.map(
        lambda x, spec: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec)), tree, spec
    )
    given = place((params, moments), state_specs), place(tuple(batch), (batch_spec, batch_spec))
    return jax.jit(mapped, donate_argnums=0), given
