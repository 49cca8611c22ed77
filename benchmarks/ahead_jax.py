"""The training steps of `benchmarks.ahead`, written by hand for JAX.

Each is a pure function of (parameters, moments, state, batch) with the shapes of its arguments. Images are (B, H, W, C)
and kernels (H, W, inputs, outputs), as is usual in JAX. Models that compute products in bfloat16 keep their parameters
in float32, except `llama`.
"""

from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import optax
from jax import lax

from benchmarks import models_jax
from benchmarks.models import SPECS

HALF = jnp.bfloat16


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


def training(loss_on, optimizer, params, state, *batch):
    """Return a step and its arguments. `loss_on(params, state, *batch)` returns the loss and the new state."""

    def step(params, moments, state, *batch):
        (loss, state), grads = jax.value_and_grad(loss_on, has_aux=True)(params, state, *batch)
        updates, moments = optimizer.update(grads, moments, params)
        return optax.apply_updates(params, updates), moments, state, loss

    return step, (params, jax.eval_shape(optimizer.init, params), state, *batch)


def classifier(forward):
    """Return the loss of a classifier. `forward(params, state, x)` returns the logits and the new state."""

    def loss_on(params, state, x, y):
        logits, state = forward(params, state, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), y).mean(), state

    return loss_on


def linear_shapes(name, inputs, outputs):
    return {f"{name}.weight": shape(outputs, inputs), f"{name}.bias": shape(outputs)}


def norm_shapes(name, width):
    return {f"{name}.weight": shape(width), f"{name}.bias": shape(width)}


def mlp(platform):
    spec = SPECS["mlp10"]
    depth, width = spec.sizes["depth"], spec.sizes["width"]
    params = {}
    for layer in range(depth + 1):
        params |= linear_shapes(f"{2 * layer}", width, width if layer < depth else 10)
    forward = partial(models_jax.mlp, depth=depth, width=width)
    x, y = spec.batches()[0]
    batch = shape(*x.shape), shape(*y.shape, dtype=jnp.int32)
    return training(classifier(forward), models_jax.optimizer_of(spec), params, {}, *batch)


def cnn(platform):
    spec = SPECS["cnn"]
    channels = spec.sizes["channels"]
    params, state, side = {}, {}, 32 >> (len(channels) - 1)
    for block, (inputs, outputs) in enumerate(pairwise(channels)):
        params |= {f"{block}.kernel": shape(3, 3, inputs, outputs), f"{block}.bias": shape(outputs)}
        params |= norm_shapes(f"{block}.norm", outputs)
        state |= running(f"{block}.norm", outputs)
    params |= linear_shapes("head", channels[-1] * side * side, 10)

    def forward(p, state, x):
        state = dict(state)
        for block in range(len(channels) - 1):
            x = convolved(x, p[f"{block}.kernel"]) + p[f"{block}.bias"]
            x = jax.nn.relu(models_jax.batch_norm(p, state, f"{block}.norm", x))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return models_jax.linear(p, "head", x.reshape(len(x), -1)), state

    x, y = spec.batches()[0]
    images = shape(len(x), 32, 32, 3), shape(*y.shape, dtype=jnp.int32)
    return training(classifier(forward), models_jax.optimizer_of(spec), params, state, *images)


def running(name, width):
    averages = {f"{name}.running_mean": shape(width), f"{name}.running_var": shape(width)}
    return {**averages, f"{name}.num_batches_tracked": shape(dtype=jnp.int32)}


def convolved(x, kernel, stride=1, padding="SAME"):
    return lax.conv_general_dilated(x, kernel, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def lstm(platform):
    spec = SPECS["lstm"]
    inputs, hidden, classes = spec.sizes.values()
    params = {
        "lstm.weight_ih_l0": shape(4 * hidden, inputs),
        "lstm.weight_hh_l0": shape(4 * hidden, hidden),
        "lstm.bias_ih_l0": shape(4 * hidden),
        "lstm.bias_hh_l0": shape(4 * hidden),
        **linear_shapes("head", hidden, classes),
    }
    forward = partial(models_jax.lstm, **spec.sizes)
    x, y = spec.batches()[0]
    batch = shape(*x.shape), shape(*y.shape, dtype=jnp.int32)
    return training(classifier(forward), models_jax.optimizer_of(spec), params, {}, *batch)


def resnet50(platform, batch=32, side=224):
    params, state = {"stem.kernel": shape(7, 7, 3, 64), **norm_shapes("stem", 64)}, running("stem", 64)
    plan, inputs = [], 64
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            name, stride = f"block{len(plan)}", first if i == 0 else 1
            convolutions = {
                "a": (1, inputs, width),
                "b": (3, width, width),
                "c": (1, width, 4 * width),
            }
            if stride > 1 or inputs != 4 * width:
                convolutions["short"] = (1, inputs, 4 * width)
            for part, (size, before, after) in convolutions.items():
                params |= {f"{name}.{part}.kernel": shape(size, size, before, after)}
                params |= norm_shapes(f"{name}.{part}", after)
                state |= running(f"{name}.{part}", after)
            plan.append((name, stride, "short" in convolutions))
            inputs = 4 * width
    params |= linear_shapes("head", 2048, 1000)

    def forward(p, state, x):
        state = dict(state)

        def unit(x, name, stride=1, padding=((0, 0), (0, 0))):
            return models_jax.batch_norm(p, state, name, convolved(x, p[f"{name}.kernel"], stride, padding))

        x = jax.nn.relu(unit(x, "stem", 2, ((3, 3), (3, 3))))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
        for name, stride, has_shortcut in plan:
            y = jax.nn.relu(unit(x, f"{name}.a"))
            y = unit(jax.nn.relu(unit(y, f"{name}.b", stride, ((1, 1), (1, 1)))), f"{name}.c")
            x = jax.nn.relu(y + (unit(x, f"{name}.short", stride) if has_shortcut else x))
        return models_jax.linear(p, "head", x.mean((1, 2))), state

    images = shape(batch, side, side, 3), shape(batch, dtype=jnp.int32)
    return training(classifier(forward), optax.sgd(0.1, momentum=0.9), params, state, *images)


def half_linear(p, name, x):
    return x.astype(HALF) @ p[f"{name}.weight"].T.astype(HALF) + p[f"{name}.bias"].astype(HALF)


def attended(q, k, v, causal, platform):
    """Return the attention of (B, T, H, D) arrays. On a GPU, cuDNN computes it if the length is even."""
    return jax.nn.dot_product_attention(
        q, k, v, is_causal=causal, implementation="cudnn" if platform == "gpu" and q.shape[1] % 2 == 0 else None
    )


def block_shapes(name, width):
    params = {}
    for part, inputs, outputs in (
        ("qkv", width, 3 * width),
        ("project", width, width),
        ("up", width, 4 * width),
        ("down", 4 * width, width),
    ):
        params |= linear_shapes(f"{name}.{part}", inputs, outputs)
    return params | norm_shapes(f"{name}.norm1", width) | norm_shapes(f"{name}.norm2", width)


def block(p, name, x, heads, causal, platform):
    B, T, D = x.shape
    qkv = half_linear(p, f"{name}.qkv", models_jax.layer_norm(p, f"{name}.norm1", x))
    q, k, v = (part.reshape(B, T, heads, D // heads) for part in jnp.split(qkv, 3, -1))
    x = x + half_linear(p, f"{name}.project", attended(q, k, v, causal, platform).reshape(B, T, D))
    hidden = half_linear(p, f"{name}.up", models_jax.layer_norm(p, f"{name}.norm2", x))
    return x + half_linear(p, f"{name}.down", jax.nn.gelu(hidden, approximate=False))


def gpt2(platform, batch=8, layers=12, width=768, heads=12, time=1024, vocabulary=50257):
    params = {"tokens": shape(vocabulary, width), "positions": shape(time, width), "head": shape(vocabulary, width)}
    params |= norm_shapes("norm", width)
    for layer in range(layers):
        params |= block_shapes(f"{layer}", width)

    def forward(p, state, tokens):
        x = p["tokens"][tokens] + p["positions"]
        for layer in range(layers):
            x = block(p, f"{layer}", x, heads, True, platform)
        return models_jax.layer_norm(p, "norm", x).astype(HALF) @ p["head"].T.astype(HALF), state

    tokens = shape(batch, time, dtype=jnp.int32)
    return training(classifier(forward), optax.adamw(1e-3, weight_decay=1e-2), params, {}, tokens, tokens)


def vit(platform, batch=32, layers=12, width=768, heads=12, patch=16, side=224):
    places = (side // patch) ** 2 + 1
    params = {
        "patches": shape(patch, patch, 3, width),
        "patches.bias": shape(width),
        "first": shape(1, 1, width),
        "positions": shape(1, places, width),
        **norm_shapes("norm", width),
        **linear_shapes("head", width, 1000),
    }
    for layer in range(layers):
        params |= block_shapes(f"{layer}", width)

    def forward(p, state, x):
        x = convolved(x.astype(HALF), p["patches"].astype(HALF), patch, "VALID") + p["patches.bias"].astype(HALF)
        x = x.reshape(batch, -1, width).astype(jnp.float32)
        x = jnp.concatenate([jnp.broadcast_to(p["first"], (batch, 1, width)), x], 1) + p["positions"]
        for layer in range(layers):
            x = block(p, f"{layer}", x, heads, False, platform)
        return half_linear(p, "head", models_jax.layer_norm(p, "norm", x)[:, 0]), state

    images = shape(batch, side, side, 3), shape(batch, dtype=jnp.int32)
    return training(classifier(forward), optax.adamw(1e-3, weight_decay=1e-2), params, {}, *images)


def llama(platform, batch=4, time=2048, width=2048, heads=32, groups=8, hidden=5632):
    size = width // heads
    sizes = {
        "q": (width, width),
        "k": (groups * size, width),
        "v": (groups * size, width),
        "o": (width, width),
        "gate": (hidden, width),
        "up": (hidden, width),
        "down": (width, hidden),
        "norm1": (width,),
        "norm2": (width,),
    }
    params = {name: shape(*given, dtype=HALF) for name, given in sizes.items()}

    def norm(x, weight):
        x = x.astype(jnp.float32)
        return (x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)).astype(HALF) * weight

    def turned(x, cos, sin):
        a, b = jnp.split(x, 2, -1)
        cos, sin = cos[:, None], sin[:, None]
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def loss_on(p, state, x, cos, sin):
        y = norm(x, p["norm1"])
        q, k, v = ((y @ p[name].T).reshape(batch, time, -1, size) for name in "qkv")
        y = attended(turned(q, cos, sin), turned(k, cos, sin), v, True, platform)
        x = x + y.reshape(batch, time, width) @ p["o"].T
        y = norm(x, p["norm2"])
        x = x + (jax.nn.silu(y @ p["gate"].T) * (y @ p["up"].T)) @ p["down"].T
        return jnp.square(x.astype(jnp.float32)).mean(), state

    angles = shape(time, size // 2, dtype=HALF)
    x = shape(batch, time, width, dtype=HALF)
    return training(loss_on, optax.adamw(1e-3, weight_decay=1e-2), params, {}, x, angles, angles)


STEPS = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "resnet50": resnet50, "llama": llama, "vit": vit, "gpt2": gpt2}
