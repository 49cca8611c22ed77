"""Translations of operators to ONNX, one module for each family."""

import importlib

_FAMILIES = (
    "arithmetic",
    "linear",
    "activations",
    "views",
    "reductions",
    "layers",
    "attention",
    "places",
    "recurrent",
    "special",
    "geometry",
)


def load() -> None:
    """Import the translations, which adds them to the table."""
    for name in _FAMILIES:
        importlib.import_module(f"{__name__}.{name}")
