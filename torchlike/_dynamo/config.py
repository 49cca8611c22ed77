"""The options of `torch._dynamo.config`. Programs may set them, but they have no effect on compilation.

The arguments of `torchlike.compile` control compilation.
"""

suppress_errors = False
verbose = False
disable = False
cache_size_limit = 8
accumulated_cache_size_limit = 256
recompile_limit = 8
accumulated_recompile_limit = 256
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
automatic_dynamic_shapes = True
assume_static_by_default = True
dynamic_shapes = True
optimize_ddp = True
guard_nn_modules = True
inline_inbuilt_nn_modules = True
allow_unspec_int_on_nn_module = False
compiled_autograd = False
error_on_recompile = False
log_level = 30
