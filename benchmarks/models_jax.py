"""The benchmark models and the training step written for JAX.

A step is one jitted function with donated arguments. Parameters have PyTorch's names and layouts.
"""

from functools import partial
from itertools import cycle

import jax
import jax.numpy as jnp
import optax
from jax import lax


def linear(p, name, x):
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def mlp(p, state, x, depth, width):
    for layer in range(depth):
        x = jax.nn.relu(linear(p, f"{2 * layer}", x))
    return linear(p, f"{2 * depth}", x), state


def cnn(p, state, x, channels):
    state = dict(state)
    x = x.transpose(0, 2, 3, 1)  # (B, H, W, C), the usual layout in JAX
    for block in range(len(channels) - 1):
        kernel = p[f"{block}.0.weight"].transpose(2, 3, 1, 0)
        x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(batch_norm(p, state, f"{block}.1", x + p[f"{block}.0.bias"]))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return linear(p, f"{len(channels)}", x.transpose(0, 3, 1, 2).reshape(len(x), -1)), state


def batch_norm(p, state, name, x, momentum=0.1, eps=1e-5):
    """Normalize by the batch (training mode) and update the running averages in `state`."""
    mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
    count = x.size // x.shape[-1]
    for key, new in (("running_mean", mean), ("running_var", var * count / (count - 1))):
        state[f"{name}.{key}"] = (1 - momentum) * state[f"{name}.{key}"] + momentum * new
    state[f"{name}.num_batches_tracked"] += 1
    return (x - mean) * (p[f"{name}.weight"] * lax.rsqrt(var + eps)) + p[f"{name}.bias"]


def lstm(p, state, x, inputs, hidden, classes):
    bias = p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]
    projected = jnp.swapaxes(x, 0, 1) @ p["lstm.weight_ih_l0"].T + bias  # (T, B, 4 hidden)

    def cell(carry, gates):
        h, c = carry
        i, f, g, o = jnp.split(gates + h @ p["lstm.weight_hh_l0"].T, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[0], hidden), x.dtype)
    _, outputs = lax.scan(cell, (zeros, zeros), projected)
    return linear(p, "head", jnp.swapaxes(outputs, 0, 1)), state


def layer_norm(p, name, x, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    var = (centred * centred).mean(-1, keepdims=True)
    return centred * lax.rsqrt(var + eps) * p[f"{name}.weight"] + p[f"{name}.bias"]


def attention(p, name, x, heads):
    B, T, D = x.shape
    q, k, v = linear(p, f"{name}.qkv", x).reshape(B, T, 3, heads, D // heads).transpose(2, 0, 3, 1, 4)  # (B, H, T, D/H)
    scores = q @ k.swapaxes(-1, -2) * (D // heads) ** -0.5  # (B, H, T, T)
    scores = jnp.where(jnp.tril(jnp.ones((T, T), bool)), scores, -jnp.inf)
    attended = jax.nn.softmax(scores, axis=-1) @ v
    return linear(p, f"{name}.project", attended.transpose(0, 2, 1, 3).reshape(B, T, D))


def gpt(p, state, tokens, layers, width, heads, time, vocabulary):
    x = p["tokens.weight"][tokens] + p["positions.weight"][: tokens.shape[1]]
    for name in (f"blocks.{layer}" for layer in range(layers)):
        x = x + attention(p, name, layer_norm(p, f"{name}.norm1", x), heads)
        hidden = jax.nn.gelu(linear(p, f"{name}.up", layer_norm(p, f"{name}.norm2", x)), approximate=False)
        x = x + linear(p, f"{name}.down", hidden)
    return linear(p, "head", layer_norm(p, "norm", x)), state


def optimizer_of(spec):
    if spec.optimizer == "sgd":
        return optax.sgd(spec.lr, momentum=0.9)
    return optax.adamw(spec.lr, weight_decay=1e-2) if spec.optimizer == "adamw" else optax.adam(spec.lr)


def is_state(name):
    return name.endswith(("running_mean", "running_var", "num_batches_tracked"))


def stepper(spec, weights):
    """Return a function that trains on the next batch and returns the loss as a number."""
    jax.config.update("jax_default_matmul_precision", "highest")  # PyTorch's default: no TF32 on GPUs
    forward = partial({"mlp": mlp, "cnn": cnn, "lstm": lstm, "gpt": gpt}[spec.kind], **spec.sizes)
    params = {name: jnp.asarray(value) for name, value in weights.items() if not is_state(name)}
    state = {name: jnp.asarray(value) for name, value in weights.items() if is_state(name)}
    optimizer = optimizer_of(spec)
    moments = optimizer.init(params)
    batches = [tuple(jnp.asarray(part) for part in batch) for batch in spec.batches()]
    upcoming = cycle(batches)

    def loss_on(params, state, x, y):
        logits, state = forward(params, state, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), state

    @partial(jax.jit, donate_argnums=(0, 1, 2))
    def update(params, moments, state, x, y):
        (loss, state), grads = jax.value_and_grad(loss_on, has_aux=True)(params, state, x, y)
        updates, moments = optimizer.update(grads, moments, params)
        return optax.apply_updates(params, updates), moments, state, loss

    def step():
        nonlocal params, moments, state
        params, moments, state, loss = update(params, moments, state, *next(upcoming))
        return loss.item()

    step.memory = lambda: update.lower(params, moments, state, *batches[0]).compile().memory_analysis()
    return step
