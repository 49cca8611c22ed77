"""`torch.autograd.graph`: nodes of the autograd graph, and hooks for saved tensors and gradients."""

from torchlike._api.homes import settle as _settle
from torchlike._transforms.graph import GradientEdge as GradientEdge
from torchlike._transforms.graph import Node as Node
from torchlike._transforms.graph import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from torchlike._transforms.graph import get_gradient_edge as get_gradient_edge
from torchlike._transforms.graph import increment_version as increment_version
from torchlike._transforms.graph import region_activation_memory_budget as region_activation_memory_budget
from torchlike._transforms.graph import register_multi_grad_hook as register_multi_grad_hook
from torchlike._transforms.saved_tensor_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from torchlike._transforms.saved_tensor_hooks import save_on_cpu as save_on_cpu
from torchlike._transforms.saved_tensor_hooks import saved_tensors_hooks as saved_tensors_hooks


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Do nothing: an accelerator has one stream, so that streams cannot differ.

    Args:
      enabled: has no effect. In PyTorch it decides whether different streams cause a warning.
    """


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Do nothing: an accelerator has one stream.

    Args:
      enabled: has no effect. In PyTorch it decides what happens to other streams while a graph is captured.
    """


_settle(__name__, globals())
