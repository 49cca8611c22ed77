"""`torch.utils.benchmark`: timing of Python statements, and random inputs for them."""

from torchlike.utils.benchmark.utils.common import Measurement as Measurement
from torchlike.utils.benchmark.utils.common import TaskSpec as TaskSpec
from torchlike.utils.benchmark.utils.common import ordered_unique as ordered_unique
from torchlike.utils.benchmark.utils.common import select_unit as select_unit
from torchlike.utils.benchmark.utils.common import set_torch_threads as set_torch_threads
from torchlike.utils.benchmark.utils.common import trim_sigfig as trim_sigfig
from torchlike.utils.benchmark.utils.common import unit_to_english as unit_to_english
from torchlike.utils.benchmark.utils.compare import Colorize as Colorize
from torchlike.utils.benchmark.utils.compare import Compare as Compare
from torchlike.utils.benchmark.utils.fuzzer import FuzzedParameter as FuzzedParameter
from torchlike.utils.benchmark.utils.fuzzer import FuzzedTensor as FuzzedTensor
from torchlike.utils.benchmark.utils.fuzzer import Fuzzer as Fuzzer
from torchlike.utils.benchmark.utils.fuzzer import ParameterAlias as ParameterAlias
from torchlike.utils.benchmark.utils.timer import Language as Language
from torchlike.utils.benchmark.utils.timer import Timer as Timer
from torchlike.utils.benchmark.utils.timer import timer as timer
