"""Options of `Module.to` and similar conversions."""

from __future__ import annotations

from torchlike._errors import arguments
from torchlike.nn.modules._convert import settings


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether `Module.to` and similar conversions make new parameters.

    Args:
      value: if True, conversions make new parameters. Otherwise they set `data` of the old ones.
    """
    settings.makes_parameters = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return whether `Module.to` and similar conversions make new parameters."""
    return settings.makes_parameters


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether `Module.to` and `load_state_dict` swap the contents of parameters. Only False is supported.

    Args:
      value: False.
    """
    if value:
        raise arguments.cannot("__future__.set_swap_module_params_on_conversion(True)", "conversions set `param.data`")


def get_swap_module_params_on_conversion() -> bool:
    """Return whether conversions swap the contents of parameters: always False."""
    return False
