"""Custom operators: named Python functions with a schema, and optionally a gradient and other rules."""

from ._custom_op import CustomOpDef as CustomOpDef
from ._custom_op import custom_op as custom_op
from ._custom_op import triton_op as triton_op
from ._inferred import infer_schema as infer_schema
from ._library import Library as Library
from ._library import define as define
from ._library import fallthrough_kernel as fallthrough_kernel
from ._library import get_kernel as get_kernel
from ._library import impl as impl
from ._opcheck import opcheck as opcheck
from ._registration import get_ctx as get_ctx
from ._registration import impl_abstract as impl_abstract
from ._registration import register_autocast as register_autocast
from ._registration import register_autograd as register_autograd
from ._registration import register_fake as register_fake
from ._registration import register_kernel as register_kernel
from ._registration import register_torch_dispatch as register_torch_dispatch
from ._registration import register_vmap as register_vmap
from ._registration import wrap_triton as wrap_triton
