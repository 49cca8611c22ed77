"""Function transforms: `vmap`, `grad`, `vjp`, `jvp`, `jacrev` and others."""

from torchlike.func._derivatives import grad as grad
from torchlike.func._derivatives import grad_and_value as grad_and_value
from torchlike.func._derivatives import jvp as jvp
from torchlike.func._derivatives import linearize as linearize
from torchlike.func._derivatives import vjp as vjp
from torchlike.func._jacobians import hessian as hessian
from torchlike.func._jacobians import jacfwd as jacfwd
from torchlike.func._jacobians import jacrev as jacrev
from torchlike.func._modules import functional_call as functional_call
from torchlike.func._modules import functionalize as functionalize
from torchlike.func._modules import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from torchlike.func._modules import stack_module_state as stack_module_state
from torchlike.func._rearrange import rearrange as rearrange
from torchlike.func._vmap import debug_unwrap as debug_unwrap
from torchlike.func._vmap import vmap as vmap


def __getattr__(name: str):
    from torchlike._api import refused

    refused.refuse("torch.func", name)
    from torchlike import _errors

    raise _errors.arguments.unknown_name("torch.func", name, [n for n in globals() if not n.startswith("_")])
