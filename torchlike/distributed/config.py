"""The options of the distributed package. Both are refused: no collective of JAX corresponds to them."""

from __future__ import annotations

import sys

from torchlike.utils._config_module import install_config_module

compile_on_one_rank: bool = False
use_torchcomms: bool = False

install_config_module(
    sys.modules[__name__],
    refused={
        "compile_on_one_rank": "not supported by torchlike: every process compiles its program",
        "use_torchcomms": "not supported by torchlike: collectives are operators of XLA",
    },
)
