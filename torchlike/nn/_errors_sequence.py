"""Error and warning messages of recurrent layers, attention and packed sequences, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike.nn._errors_layers import layer_dimensions as layer_dimensions

# -- recurrent layers --------------------------------------------------------------------------------------------------


def rnn_dropout() -> ValueError:
    return ValueError(
        "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
    )


def rnn_dropout_unused(dropout: object, layers: int) -> str:
    return (
        "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
        f"greater than 1, but got dropout={dropout} and num_layers={layers}"
    )


def rnn_hidden_size_type(value: Any) -> TypeError:
    return TypeError(f"hidden_size should be of type int, got: {type(value).__name__}")


def rnn_not_positive(name: str) -> ValueError:
    return ValueError(f"{name} must be greater than zero")


def rnn_negative_projection() -> ValueError:
    return ValueError("proj_size should be a positive integer or zero to disable projections")


def rnn_large_projection() -> ValueError:
    return ValueError("proj_size has to be smaller than hidden_size")


def rnn_projection_unsupported() -> ValueError:
    return ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


def rnn_mode(mode: str) -> ValueError:
    return ValueError(f"Unrecognized RNN mode: {mode}")


def rnn_nonlinearity(name: Any) -> ValueError:
    return ValueError(f"Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'.")


def rnn_cell_nonlinearity(name: Any) -> RuntimeError:
    return RuntimeError(f"Unknown nonlinearity: {name}")


def rnn_dtype(got: Any, weight: Any) -> ValueError:
    return ValueError(
        f"RNN input dtype ({got}) does not match weight dtype ({weight}). Convert input: input.to({weight}), or "
        f"convert model: model.to({got})"
    )


def rnn_input_dimensions(expected: int, got: int) -> RuntimeError:
    return RuntimeError(f"input must have {expected} dimensions, got {got}")


def rnn_input_size(expected: int, got: int) -> RuntimeError:
    return RuntimeError(f"input.size(-1) must be equal to input_size. Expected {expected}, got {got}")


def rnn_hidden_size(sentence: str, expected: tuple, got: list) -> RuntimeError:
    return RuntimeError(sentence.format(expected, got))


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


def packed_lengths_count(got: int, batch: int) -> RuntimeError:
    return RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {got} (batch_size={batch})")


def packed_lengths_positive() -> RuntimeError:
    return RuntimeError(
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
    )


def packed_lengths_sorted() -> RuntimeError:
    return RuntimeError(
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
        "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
        "not need ONNX exportability."
    )


def pad_sequence_type(kind: type) -> RuntimeError:
    return RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {kind}")


def padding_side(side: str) -> RuntimeError:
    return RuntimeError(f"Expected padding_side to be one of left or right, but got {side}.")


def padded_total_length(longest: int, total: int) -> ValueError:
    return ValueError(
        "Expected total_length to be at least the length of the longest sequence in input, but got "
        f"total_length={total} and max sequence length being {longest}"
    )


# -- attention ---------------------------------------------------------------------------------------------------------


def attention_sizes(embed_dim: int, num_heads: int) -> ValueError:
    return ValueError(
        f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
    )


def attention_heads() -> AssertionError:
    return AssertionError("embed_dim must be divisible by num_heads")


def attention_query_dimensions(got: int) -> AssertionError:
    return AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {got}-D query tensor")


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


def attention_mask_shape(got: Any, wanted: tuple) -> RuntimeError:
    return RuntimeError(f"The shape of the {len(got)}D attn_mask is {got}, but should be {wanted}.")


def attention_padding_length(wanted: int, got: int) -> AssertionError:
    return AssertionError(f"Expected key_padded_mask.shape[1] to be {wanted}, but got {got}")


def attention_padding_batch(wanted: int, got: int) -> AssertionError:
    return AssertionError(f"Expected key_padded_mask.shape[0] to be {wanted}, but got {got}")


def attention_mask_type(name: str) -> AssertionError:
    return AssertionError(f"only bool and floating types of {name} are supported")


def attention_mask_types_differ(name: str, other: str) -> str:
    return f"Support for mismatched {name} and {other} is deprecated. Use same type for both instead."


def attention_causal_without_mask() -> RuntimeError:
    return RuntimeError(
        "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
        "`generate_square_subsequent_mask` to create this mask."
    )


def attention_embedding(wanted: int, got: int) -> AssertionError:
    return AssertionError(f"was expecting embedding dimension of {wanted}, but got {got}")


def attention_key_value(key: Any, value: Any) -> AssertionError:
    return AssertionError(f"key shape {key} does not match value shape {value}")


def attention_key_value_separate(key: Any, value: Any) -> AssertionError:
    return AssertionError(f"key's sequence and batch dims {key} do not match value's {value}")


def attention_backend(kind: str) -> AssertionError:
    return AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {kind}")


BIAS_WITHOUT_KEYS = "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!"


def bias_variant(kind: str) -> AssertionError:
    return AssertionError(f"variant must be a CausalVariant, got {kind}")


def bias_dims(name: str) -> AssertionError:
    return AssertionError(f"{name} only supports 2D tensors")


def bias_and_causal() -> ValueError:
    return ValueError("CausalBias should not be used with causal=True")


# -- transformers ------------------------------------------------------------------------------------------------------


def transformer_activation(name: str) -> RuntimeError:
    return RuntimeError(f"activation should be relu/gelu, not {name}")


def transformer_batch() -> RuntimeError:
    return RuntimeError("the batch number of src and tgt must be equal")


def transformer_features() -> RuntimeError:
    return RuntimeError("the feature number of src and tgt must be equal to d_model")


def transformer_nested(reason: str) -> str:
    return f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}"
