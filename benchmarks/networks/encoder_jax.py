"""The Transformer encoders written by hand for JAX: one flat program for a whole step, in which nothing repeats."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import optax

from benchmarks.models_jax import layer_norm


def linear(x, weight, bias):
    return x @ weight.T + bias


def attention(p, x, heads):
    B, T, D = x.shape
    projected = linear(x, p["self_attn.in_proj_weight"], p["self_attn.in_proj_bias"])
    q, k, v = projected.reshape(B, T, 3, heads, D // heads).transpose(2, 0, 3, 1, 4)  # (B, H, T, D/H)
    attended = jax.nn.softmax(q @ k.swapaxes(-1, -2) * (D // heads) ** -0.5, axis=-1) @ v
    attended = attended.transpose(0, 2, 1, 3).reshape(B, T, D)
    return linear(attended, p["self_attn.out_proj.weight"], p["self_attn.out_proj.bias"])


def encoder(params, x, layers, heads):
    for layer in range(layers):
        prefix = f"layers.{layer}."
        p = {name.removeprefix(prefix): value for name, value in params.items() if name.startswith(prefix)}
        x = x + attention(p, layer_norm(p, "norm1", x), heads)
        hidden = linear(layer_norm(p, "norm2", x), p["linear1.weight"], p["linear1.bias"])
        x = x + linear(jax.nn.gelu(hidden, approximate=False), p["linear2.weight"], p["linear2.bias"])
    return x


def stepper(program, programs, rate: float) -> Callable:
    """Return the training step of an encoder, from the weights and the batch of the program for PyTorch."""
    params = {name: jnp.asarray(value.detach().numpy()) for name, value in program.model.state_dict().items()}
    x = jnp.asarray(program.batch[0].numpy())
    forward = partial(encoder, layers=len(program.model.layers), heads=programs.HEADS)
    optimizer = optax.adamw(rate, weight_decay=1e-2)
    moments = optimizer.init(params)

    @partial(jax.jit, donate_argnums=(0, 1))
    def update(params, moments, x):
        loss, grads = jax.value_and_grad(lambda params: jnp.square(forward(params, x)).mean())(params)
        updates, moments = optimizer.update(grads, moments, params)
        return optax.apply_updates(params, updates), moments, loss

    def step():
        nonlocal params, moments
        params, moments, loss = update(params, moments, x)
        return loss.item()

    return step
