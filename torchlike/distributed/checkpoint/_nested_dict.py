"""Conversion of nested state dicts to flat ones, and back."""

from __future__ import annotations

from typing import Any

from torchlike.distributed.checkpoint._traverse import OBJ_PATH, set_element, traverse_state_dict

FLATTEN_MAPPING = dict[str, OBJ_PATH]


def flatten_state_dict(state_dict: dict[str, Any], is_old: bool = False) -> tuple[dict[str, Any], FLATTEN_MAPPING]:
    """Return a flat state dict, and the path of each of its keys in the nested one.

    A key is the path joined with dots: `{"a": {"b": 1}}` has the key "a.b".

    Args:
        state_dict: a nested state dict.
        is_old: flatten as PyTorch did before version 2.4.

    Raises:
        ValueError: Two paths have the same key.
    """
    flat: dict[str, Any] = {}
    paths: FLATTEN_MAPPING = {}

    def visit(path: OBJ_PATH, value: Any) -> None:
        key = ".".join(map(str, path))
        if key in flat:
            raise ValueError(f"duplicated flatten key {key}")
        flat[key], paths[key] = value, path

    traverse_state_dict(state_dict, visit, is_old)
    return flat, paths


def unflatten_state_dict(state_dict: dict[str, Any], mapping: FLATTEN_MAPPING) -> dict[str, Any]:
    """Return the nested state dict that was flattened to `state_dict`. `mapping` has the path of each key."""
    nested: dict[str, Any] = {}
    for key, value in state_dict.items():
        set_element(nested, mapping[key], value)
    return nested


def with_string_keys(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Return a nested state dict whose keys are strings, without the empty dictionaries."""
    nested: dict[str, Any] = {}
    traverse_state_dict(state_dict, lambda path, value: set_element(nested, path, value))
    return nested
