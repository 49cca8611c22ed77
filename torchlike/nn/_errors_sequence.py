"""Error and warning messages of recurrent layers, attention and packed sequences, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike.nn._errors_layers import layer_dimensions as layer_dimensions

# -- recurrent layers --------------------------------------------------------------------------------------------------


def rnn_dropout_unused(dropout: object, layers: int) -> str:
    return (
        "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
        f"greater than 1, but got dropout={dropout} and num_layers={layers}"
    )


def rnn_projection_unsupported() -> ValueError:
    return ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


def rnn_dtype(got: Any, weight: Any) -> ValueError:
    return ValueError(
        f"RNN input dtype ({got}) does not match weight dtype ({weight}). Convert input: input.to({weight}), or "
        f"convert model: model.to({got})"
    )


def rnn_layer_dimensions(layer: str, got: int) -> ValueError:
    tensor = " tensor" if layer == "RNN" else ""
    return ValueError(f"{layer}: Expected input to be 2D or 3D, got {got}D{tensor} instead")


def rnn_state_dimensions(expected: int, got: int) -> RuntimeError:
    batched = "batched" if expected == 3 else "unbatched"
    return RuntimeError(f"For {batched} {expected}-D input, hx should also be {expected}-D but got {got}-D tensor")


def lstm_state_dimensions(expected: int, h: int, c: int) -> RuntimeError:
    batched = "batched" if expected == 3 else "unbatched"
    return RuntimeError(
        f"For {batched} {expected}-D input, hx and cx should also be {expected}-D but got ({h}-D, {c}-D) tensors"
    )


# -- packed sequences --------------------------------------------------------------------------------------------------


def packed_batch_sizes_device(device: Any) -> ValueError:
    return ValueError(
        f"batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They "
        "should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
        f"https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence (got {device})"
    )


def packed_lengths_sorted() -> RuntimeError:
    return RuntimeError(
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
        "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
        "not need ONNX exportability."
    )


def padding_side(side: str) -> RuntimeError:
    return RuntimeError(f"Expected padding_side to be one of left or right, but got {side}.")


# -- attention ---------------------------------------------------------------------------------------------------------


def attention_sizes(embed_dim: int, num_heads: int) -> ValueError:
    return ValueError(
        f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
    )


def attention_heads() -> AssertionError:
    return AssertionError("embed_dim must be divisible by num_heads")


def attention_key_dimensions(query: int, key: int, value: int) -> AssertionError:
    batched = "batched" if query == 3 else "unbatched"
    return AssertionError(
        f"For {batched} ({query}-D) `query`, expected `key` and `value` to be {query}-D but found {key}-D and "
        f"{value}-D tensors respectively"
    )


def attention_padding_dimensions(query: int, got: int) -> AssertionError:
    batched = "batched" if query == 3 else "unbatched"
    return AssertionError(
        f"For {batched} ({query}-D) `query`, expected `key_padding_mask` to be `None` or {query - 1}-D but found "
        f"{got}-D tensor instead"
    )


def attention_mask_dimensions(query: int, got: int) -> AssertionError:
    batched = "batched" if query == 3 else "unbatched"
    return AssertionError(
        f"For {batched} ({query}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {got}-D tensor "
        "instead"
    )


def attention_mask_types_differ(name: str, other: str) -> str:
    return f"Support for mismatched {name} and {other} is deprecated. Use same type for both instead."


def attention_key_value_separate(key: Any, value: Any) -> AssertionError:
    return AssertionError(f"key's sequence and batch dims {key} do not match value's {value}")


def attention_backend(kind: str) -> AssertionError:
    return AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {kind}")


BIAS_WITHOUT_KEYS = "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!"


# -- transformers ------------------------------------------------------------------------------------------------------


def attention_nested(reason: str) -> AssertionError:
    return AssertionError(
        "MultiheadAttention does not support NestedTensor outside of its fast path. The fast path was not hit because "
        + reason
    )


def transformer_nested(reason: str) -> str:
    return f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}"
