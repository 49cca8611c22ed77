"""The levels of the loggers of torchlike and JAX. `torchlike` imports this file first: JAX logs during its import."""

import logging

for _name in ("torchlike", "jax"):
    _logger = logging.getLogger(_name)
    if _logger.level == logging.NOTSET:  # the program has chosen none; the root's level says nothing about it
        _logger.setLevel(logging.WARNING)
