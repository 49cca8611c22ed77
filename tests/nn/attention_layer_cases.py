"""Random calls of layers with attention, with masks that hide all keys from some queries."""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH, HEADS = 4, 2


def program(seed: int) -> Any:
    """Return a function of the library that makes the call of this seed.

    The function returns the results and the gradients of the inputs and parameters.
    """
    random = np.random.default_rng(seed)
    return (_attention, _attention, _encoder, _decoder)[seed % 4](random)


def _chance(random: np.random.Generator, share: float = 0.5) -> bool:
    return bool(random.random() < share)


def _mask(random: np.random.Generator, *shape: int) -> np.ndarray | None:
    """Return a mask in which True or -inf hides a key, or None. In half of the masks, one row hides all keys."""
    if _chance(random, 0.35):
        return None
    hidden = random.random(shape) < random.choice([0.0, 0.3, 0.6])
    if _chance(random):
        hidden[..., random.integers(shape[-2]), :] = True
    else:
        hidden[..., 0] = False
    if _chance(random):
        return hidden
    # The only numbers are 0 and -inf, because PyTorch's fast path of the encoder layer treats other numbers as -inf.
    return np.where(hidden, -np.inf, 0).astype("float32")


def _ends(random: np.random.Generator, batch: int, length: int) -> np.ndarray | None:
    """Return a mask of the padding at the ends of sequences, or None. A sequence may consist of padding only."""
    if _chance(random, 0.35):
        return None
    hidden = np.arange(length) >= random.integers(0 if _chance(random) else 1, length + 1, (batch, 1))
    return hidden if _chance(random) else np.where(hidden, -np.inf, 0).astype("float32")


def _tensor(torch: Any, array: np.ndarray | None) -> Any:
    return None if array is None else torch.tensor(array)


def _differentiated(torch: Any, layer: Any, results: Any, inputs: list, quiet: bool) -> list:
    """Return the results and, unless `quiet`, the gradients of the inputs and parameters."""
    results = [x for x in (results if isinstance(results, tuple) else (results,)) if x is not None]
    if quiet:
        return results
    total = sum((x * torch.arange(x.numel(), dtype=x.dtype).reshape(x.shape).cos()).sum() for x in results)
    total.backward()
    return results + [x.grad for x in inputs] + [p.grad for p in layer.parameters()]


def _attention(random: np.random.Generator) -> Any:
    batch, length, keys = (int(n) for n in random.integers(1, 5, 3))
    alone = _chance(random, 0.2)
    itself = _chance(random, 0.3)
    keys = length if itself else keys
    options: dict[str, Any] = {name: _chance(random, 0.3) for name in ("add_bias_kv", "add_zero_attn", "batch_first")}
    if not itself and _chance(random, 0.3):
        options |= {"kdim": 3, "vdim": 5}
    options |= {"bias": _chance(random, 0.8), "dropout": 0.3 * _chance(random, 0.2)}
    mask = _mask(random, *([batch * HEADS] if _chance(random, 0.3) and not alone else []), length, keys)
    padding = _ends(random, batch, keys)
    call: dict[str, Any] = {"need_weights": _chance(random), "average_attn_weights": _chance(random)}
    if mask is not None and mask.ndim == 2 and length == keys and _chance(random, 0.2):
        mask = np.triu(np.ones((length, keys), bool), 1)
        call["is_causal"] = True
    training, quiet = _chance(random), _chance(random, 0.3)
    sizes = ((length, WIDTH), (keys, options.get("kdim", WIDTH)), (keys, options.get("vdim", WIDTH)))
    lead = () if alone else (batch,)

    def run(torch: Any) -> list:
        layer = torch.nn.MultiheadAttention(WIDTH, HEADS, **options).train(training)
        inputs = [torch.randn(*lead, *size) for size in sizes]
        if not options["batch_first"] and not alone:
            inputs = [x.transpose(0, 1) for x in inputs]
        inputs = [x.clone().requires_grad_(not quiet) for x in (inputs[:1] if itself else inputs)]
        hidden = padding[0] if alone and padding is not None else padding
        given = {"attn_mask": _tensor(torch, mask), "key_padding_mask": _tensor(torch, hidden)}
        with torch.set_grad_enabled(not quiet):
            results = layer(*(inputs * 3 if itself else inputs), **given, **call)
            return _differentiated(torch, layer, results, inputs, quiet)

    told = {k: None if v is None else (v.dtype.name, v.shape) for k, v in (("mask", mask), ("padding", padding))}
    run.__doc__ = f"MultiheadAttention {options} {call} {told} {training=} {quiet=} {alone=} {itself=} {sizes}"
    return run


def _encoder(random: np.random.Generator) -> Any:
    batch, length = (int(n) for n in random.integers(1, 5, 2))
    first, before, gelu, nested = (_chance(random, share) for share in (0.7, 0.2, 0.3, 0.7))
    training, quiet, layers = _chance(random, 0.4), _chance(random), int(random.integers(0, 3))
    mask, padding = _mask(random, length, length), _ends(random, batch, length)
    if padding is not None:
        padding[0] = False if padding.dtype == bool else 0  # PyTorch's nested tensors need at least one element
    options = {"batch_first": first, "norm_first": before, "activation": "gelu" if gelu else "relu", "dropout": 0.0}

    def run(torch: Any) -> list:
        layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 6, **options)
        if layers:
            layer = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=nested)
        layer.train(training)
        x = torch.randn(*((batch, length) if first else (length, batch)), WIDTH).requires_grad_(not quiet)
        given = {
            "mask" if layers else "src_mask": _tensor(torch, mask),
            "src_key_padding_mask": _tensor(torch, padding),
        }
        with torch.set_grad_enabled(not quiet):
            return _differentiated(torch, layer, layer(x, **given), [x], quiet)

    told = {k: None if v is None else (v.dtype.name, v.shape) for k, v in (("mask", mask), ("padding", padding))}
    run.__doc__ = f"Encoder {options} {layers=} {told} {training=} {quiet=} {nested=} {batch=} {length=}"
    return run


def _decoder(random: np.random.Generator) -> Any:
    batch, length, keys = (int(n) for n in random.integers(1, 5, 3))
    first, before, training, quiet = (_chance(random, share) for share in (0.5, 0.2, 0.4, 0.3))
    masks = {
        "tgt_mask": _mask(random, length, length),
        "memory_mask": _mask(random, length, keys),
        "tgt_key_padding_mask": _ends(random, batch, length),
        "memory_key_padding_mask": _ends(random, batch, keys),
    }

    def run(torch: Any) -> list:
        layer = torch.nn.TransformerDecoderLayer(WIDTH, HEADS, 6, 0.0, batch_first=first, norm_first=before)
        layer.train(training)
        x, memory = (torch.randn(*((batch, n) if first else (n, batch)), WIDTH) for n in (length, keys))
        x, memory = x.requires_grad_(not quiet), memory.requires_grad_(not quiet)
        with torch.set_grad_enabled(not quiet):
            result = layer(x, memory, **{name: _tensor(torch, mask) for name, mask in masks.items()})
            return _differentiated(torch, layer, result, [x, memory], quiet)

    told = {k: None if v is None else (v.dtype.name, v.shape) for k, v in masks.items()}
    run.__doc__ = f"Decoder {told} {first=} {before=} {training=} {quiet=}"
    return run
