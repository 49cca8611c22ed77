"""The classes of PyTorch's agent. They can be imported, but not constructed: use `torchrun` or `elastic_launch`."""

import sys

from torchlike.distributed import _absent

_NAMES = "ElasticAgent RunResult SimpleElasticAgent Worker WorkerGroup WorkerSpec WorkerState"
_absent.fill(sys.modules[__name__], _NAMES)
_absent.submodule(__name__ + ".api", _NAMES)
_absent.submodule(__name__ + ".local_elastic_agent", "LocalElasticAgent")
_absent.submodule(__name__ + ".health_check_server", "HealthCheckServer create_healthcheck_server")
