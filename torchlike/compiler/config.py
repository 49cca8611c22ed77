"""The options of `torch.compiler.config`. Programs may set them, but they have no effect on compilation."""

import sys

from torchlike.utils._config_module import install_config_module

job_id = None
dynamic_shapes = True
assume_static_by_default = True
automatic_dynamic_shapes = True
recompile_limit = 8
accumulated_recompile_limit = 256
verbose = False
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
log_file_name = None
fail_on_recompile_limit_hit = False
allow_unspec_int_on_nn_module = False
skip_tensor_guards_with_matching_dict_tags = True
enable_cpp_symbolic_shape_guards = False
wrap_top_frame = False
reorderable_logging_functions = set()
force_disable_caches = False
pgo_extra_read_key = None
pgo_extra_write_key = None
cache_key_tag = ""
dynamic_sources = ""
dynamic_values = ""
unbacked_sources = ""
force_cudagraph_gc = False

_STANCE = 'use `torch.compiler.set_stance("fail_on_recompile")`'

install_config_module(sys.modules[__name__], refused={"fail_on_recompile_limit_hit": _STANCE})
