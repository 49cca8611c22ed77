"""Differentiation: `backward`, `grad`, grad modes, hooks on the graph, forward mode, functions of functions."""

from torchlike._api.homes import settle as _settle
from torchlike._autograd.anomaly import detect_anomaly as detect_anomaly
from torchlike._autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from torchlike._dtypes.modes import enable_grad as enable_grad
from torchlike._dtypes.modes import inference_mode as inference_mode
from torchlike._dtypes.modes import is_multithreading_enabled as is_multithreading_enabled
from torchlike._dtypes.modes import no_grad as no_grad
from torchlike._dtypes.modes import set_grad_enabled as set_grad_enabled
from torchlike._dtypes.modes import set_multithreading_enabled as set_multithreading_enabled
from torchlike._tensor.inference import InferenceStorage as _InferenceStorage  # noqa: F401 - loads it
from torchlike._transforms.backward import backward as backward
from torchlike._transforms.backward import grad as grad
from torchlike._transforms.function import Function as Function
from torchlike.autograd import anomaly_mode as anomaly_mode
from torchlike.autograd import forward_ad as forward_ad
from torchlike.autograd import function as function
from torchlike.autograd import functional as functional
from torchlike.autograd import grad_mode as grad_mode
from torchlike.autograd import graph as graph
from torchlike.autograd import profiler as profiler
from torchlike.autograd.function import NestedIOFunction as NestedIOFunction
from torchlike.autograd.grad_mode import enforce_grad_layout_policy as enforce_grad_layout_policy
from torchlike.autograd.gradcheck import gradcheck as gradcheck
from torchlike.autograd.gradcheck import gradgradcheck as gradgradcheck
from torchlike.autograd.variable import Variable as Variable

_settle(__name__, globals())
