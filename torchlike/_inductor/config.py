"""The options of `torch._inductor.config`. Programs may set them, but they have no effect, since XLA compiles programs.

XLA has flags for the same purposes (the environment variable `XLA_FLAGS`).
"""

import sys
from typing import Any

from torchlike.utils._config_module import install_config_module

debug = False
verbose_progress = False
disable_progress = True
fx_graph_cache = True
fx_graph_remote_cache: Any = None
search_autotune_cache = False
compile_threads = 1
worker_start_method = "subprocess"
cpp_wrapper = False
freezing = False
dce = False
size_asserts = True
nan_asserts = False
fallback_random = False  # random numbers are those of the uncompiled program
emulate_precision_casts = False

max_autotune = False
max_autotune_gemm = False
max_autotune_pointwise = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
coordinate_descent_tuning = False
coordinate_descent_check_all_directions = False
benchmark_kernel = False

epilogue_fusion = True
aggressive_fusion = False
pattern_matcher = True
permute_fusion = False
split_reductions = True
b2b_gemm_pass = False
conv_1x1_as_mm = False
use_mixed_mm = True
force_fuse_int_mm_with_mul = False
shape_padding = True
comprehensive_padding = True
inplace_buffers = True
allow_buffer_reuse = True
reorder_for_compute_comm_overlap = False
bucket_all_gathers_fx = "none"
bucket_reduce_scatters_fx = "none"
profiler_mark_wrapper_call = False


class triton:
    cudagraphs = False
    cudagraph_trees = True
    cudagraph_skip_dynamic_graphs = False
    unique_kernel_names = True
    autotune_pointwise = True
    multi_kernel = 0
    store_cubin = False


class cpp:
    threads = -1
    simdlen: Any = None
    enable_kernel_profile = False


class trace:
    enabled = False
    graph_diagram = False


install_config_module(sys.modules[__name__])
