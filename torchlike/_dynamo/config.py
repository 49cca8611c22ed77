"""The options of `torch._dynamo.config`. Programs may set them, but they have no effect on compilation.

The arguments of `torchlike.compile` control compilation.
"""

import sys

from torchlike.utils._config_module import install_config_module

verbose = False
verify_correctness = False
disable = False
suppress_errors = False
replay_record_enabled = False
report_guard_failures = True
cprofile = False

recompile_limit = 8
accumulated_recompile_limit = 256
error_on_recompile = False
fail_on_recompile_limit_hit = False
skip_code_recursive_on_recompile_limit_hit = True

specialize_int = False
specialize_float = False
dynamic_shapes = True
assume_static_by_default = True
automatic_dynamic_shapes = True
force_parameter_static_shapes = True
force_nn_module_property_static_shapes = True
allow_ignore_mark_dynamic = False
allow_unspec_int_on_nn_module = False

capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
capture_autograd_function = True
capture_func_transforms = True
capture_sparse_compute = True
capture_profiler_record_function = False
trace_numpy = True
allow_rnn = False
allow_empty_graphs = False
rewrite_assert_with_torch_assert = True

optimize_ddp = True
optimize_ddp_lazy_compile = False
skip_fsdp_guards = True
compiled_autograd = False
guard_nn_modules = True
skip_nnmodule_hook_guards = True
inline_inbuilt_nn_modules = True
prepare_freezing = False
only_allow_pt2_compliant_ops = False
fake_tensor_cache_enabled = True
caching_precompile = False

_STANCE = 'use `torch.compiler.set_stance("fail_on_recompile")`'

install_config_module(
    sys.modules[__name__],
    aliases={
        "cache_size_limit": "recompile_limit",
        "accumulated_cache_size_limit": "accumulated_recompile_limit",
        "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
    },
    refused={"error_on_recompile": _STANCE, "fail_on_recompile_limit_hit": _STANCE},
)
