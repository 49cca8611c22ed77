"""Error and warning messages of `flex_attention` and block masks, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

COMPILE_FLAG = (
    "_compile flag on create_block_mask was originally added to work around a torch.compile limitation. That "
    "limitation has since been addressed. So, to compile create_block_mask, we suggest doing "
    "torch.compile(create_block_mask). This still works for now, but will be removed in the future."
)
RETURN_LSE = (
    "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) instead."
)

# -- block masks -------------------------------------------------------------------------------------------------------


def block_mask_dims() -> RuntimeError:
    return RuntimeError("BlockMask must have at least 2 dimensions")


# -- the call ----------------------------------------------------------------------------------------------------------


def devices(query: Any, key: Any, value: Any) -> ValueError:
    return ValueError(
        f"Expected query, key, and value to have the same device type, but got query.device: {query}, "
        f"key.device: {key}, and value.device: {value} instead."
    )


def embedding(query: int, key: int) -> ValueError:
    return ValueError(f"Expect query and key/value to have the same embedding dimension but got E={query} and E={key}.")


def dimensions() -> NotImplementedError:
    return NotImplementedError("NYI: query, key, and value must be 4D tensors")


def heads(query: int, key: int) -> ValueError:
    return ValueError(
        f"Expect query and key/value to have the same number of heads but got Hq={query} and Hkv={key}. "
        "Try setting enable_gqa=True for GQA."
    )


def grouped_heads(query: int, key: int) -> ValueError:
    return ValueError(
        f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query} and Hkv={key}."
    )


def batches(query: int, key: int) -> ValueError:
    return ValueError(
        "Expect query and key/value to have the same batch size, or non-none block_mask, but got block_mask=None, "
        f"Bq={query}, and Bkv={key}."
    )


def batches_of_mask(query: int, key: int, mask: int) -> ValueError:
    return ValueError(
        "Expect query and key/value to have the same batch size, or block_mask and query to have the same batch size, "
        f"but got Bq={query}, Bkv={key}, B_block_mask={mask}."
    )


def batches_apart(query: int, key: int) -> RuntimeError:
    return RuntimeError(f"Bq and Bkv must broadcast. Got Bq={query} and Bkv={key}")


def mask_device(query: Any, mask: Any) -> RuntimeError:
    return RuntimeError(f"Expect q/k/v and block_mask to be on the same device but got {query} and {mask}.")


def sliced_mask() -> RuntimeError:
    return RuntimeError("Cannot use mask_mod from a sliced BlockMask")


def _made_for(shape: tuple, q_len: int, kv_len: int, kind: str) -> str:
    return (
        f"block_mask was created for block_mask.shape={shape} but got q_len={q_len} and kv_len={kv_len}. "
        f"As the block mask was created for a {kind} length than you're using it for, you "
    )


def small_mask(shape: tuple, q_len: int, kv_len: int) -> ValueError:
    return ValueError(_made_for(shape, q_len, kv_len, "smaller") + "likely need to create a new block mask.")


def large_mask(shape: tuple, q_len: int, kv_len: int) -> ValueError:
    return ValueError(
        _made_for(shape, q_len, kv_len, "larger") + "can either 1. create a new block mask with the correct length, "
        "or 2. 'adjust' the existing block mask to the correct length by calling block_mask._adjust(q_len, kv_len). "
        "This essentially 'crops' the block mask to the upper left corner, which does not work for all mask_mods!"
    )


def two_requests() -> ValueError:
    return ValueError(
        "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
        "return_aux=AuxRequest(lse=True) instead."
    )


def max_scores() -> NotImplementedError:
    return NotImplementedError("Returning max scores is not supported on CPU/MPS.")


def reserved_option(name: str) -> AssertionError:
    return AssertionError(f"{name} must not be in kernel_options")


def backend(got: Any, known: tuple) -> ValueError:
    return ValueError(f"Invalid BACKEND value '{got}'. Must be one of {known}")


def two_backends() -> RuntimeError:
    return RuntimeError(
        "BACKEND cannot be combined with legacy FORCE_USE_FLEX_ATTENTION. BACKEND supersedes the legacy knob; please "
        "drop FORCE_USE_FLEX_ATTENTION and only specify the desired BACKEND."
    )
