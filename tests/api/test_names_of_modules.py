"""Names of PyTorch's smaller modules: each expression gives the same value, or the same error, as in PyTorch."""

import importlib
import warnings

import pytest
import torch

import torchlike

MODULES = (
    "accelerator.graphs",
    "accelerator.memory",
    "backends.cusparselt",
    "compiler.config",
    "cuda.amp.common",
    "cuda.gds",
    "cuda.green_contexts",
    "cuda.tunable",
    "nn.attention",
    "nn.attention.varlen",
    "serialization",
    "signal.windows.windows",
    "types",
    "utils.checkpoint",
    "xpu.graphs",
    "xpu.memory",
    "xpu.random",
    "xpu.streams",
)
CUDA = """
cuda.FloatStorage
cuda.FloatStorage(3)
cuda.FloatStorage.from_buffer(b'')
cuda.FloatStorage.dtype
cuda.FloatStorage([1.0])
cuda.FloatStorage(wrap_storage=torch.ones(2).untyped_storage())
cuda.FloatStorage(1, 2)
FloatStorage(1, 2)
FloatStorage(wrap_storage=torch.ones(2, device='meta').untyped_storage())
isinstance(torch.ones(2).storage(), torch.cuda.FloatStorage)
isinstance(torch.ones(2).storage(), torch.FloatStorage)
cuda.ComplexDoubleStorage.__name__
cuda.CudaError(2)
cuda.check_error(0)
cuda.cudaStatus.SUCCESS
cuda.GreenContext.create(num_sms=3)
cuda.gds.gds_register_buffer(torch.ones(1).untyped_storage())
cuda.amp.common.amp_definitely_not_available()
cuda.tunable.enable()
cuda.tunable.is_enabled()
cuda.tunable.record_untuned_is_enabled()
cuda.tunable.get_results()
cuda.tunable.read_file()
"""
SERIALIZATION = """
serialization.validate_cuda_device('cuda:0')
serialization.validate_cuda_device('cpu')
serialization.validate_hpu_device('hpu')
serialization.normalize_storage_type(torch.FloatStorage)
serialization.normalize_storage_type(torch.cuda.FloatStorage)
serialization.storage_to_tensor_type(torch.FloatStorage())
serialization.storage_to_tensor_type(torch.UntypedStorage())
serialization.StorageType('FloatStorage')
serialization.StorageType('X')
serialization.StorageType('UntypedStorage')
str(torch.serialization.StorageType('HalfStorage'))
serialization.check_module_version_greater_or_equal(numpy, (1, 2))
serialization.check_module_version_greater_or_equal(numpy, (1000, 2))
serialization.check_module_version_greater_or_equal(warnings, (1, 2), False)
types.FileLike
types.Storage().nbytes()
types._Number
utils.checkpoint.SelectiveCheckpointContext(is_recompute=True).op_output
utils.checkpoint.DefaultDeviceType.get_device_type()
"""
BACKENDS = """
backends.cuda.preferred_linalg_library()
backends.cuda.preferred_linalg_library('default')
backends.cuda.preferred_linalg_library('cusolver')
backends.cuda.preferred_linalg_library('magma')
backends.cuda.preferred_linalg_library('x')
backends.cuda.preferred_linalg_library(3)
backends.cuda.preferred_blas_library()
backends.cuda.preferred_blas_library('cublas')
backends.cuda.preferred_blas_library('cublaslt')
backends.cuda.preferred_rocm_fa_library()
backends.cuda.is_ck_sdpa_available()
backends.cuda.cublas_workspace_size()
backends.cuda.cublaslt_workspace_size(3)
backends.cuda.cufft_plan_cache.size
backends.cuda.cufft_plan_cache[0]
backends.cuda.cufft_plan_cache.clear()
backends.cuda.can_use_flash_attention(params())
backends.cuda.can_use_efficient_attention(params(), True)
backends.cuda.can_use_cudnn_attention(params())
backends.cuda.is_flash_attention_available()
backends.cuda.allow_fp16_bf16_reduction_math_sdp(3)
backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
backends.mps.get_core_count()
backends.mps.get_name()
backends.mps.is_macos13_or_newer()
backends.cusparselt.version()
backends.cusparselt.is_available()
"""
DEVICES = """
xpu.Event()
xpu.Stream()
xpu.XPUGraph()
xpu.change_current_allocator(3)
xpu.graph(None)
xpu.graph_pool_handle()
xpu.is_current_stream_capturing()
xpu.make_graphed_callables(lambda x: x, (torch.ones(1),))
xpu.MemPool()
xpu.use_mem_pool(None).__enter__()
xpu.memory.memory_allocated()
xpu.random.seed_all()
accelerator.graphs.Graph()
accelerator.memory.memory_allocated()
signal.windows.windows.hann(3)
cpu.StreamContext(torch.cpu.Stream()).__enter__()
type(torch.cpu.stream(None)).__name__
{k: torch.cpu.get_capabilities().get(k) for k in ('avx2', 'avx512_f', 'fma3', 'sse3', 'sha', 'lzcnt', 'bmi')}
cpu._is_avx2_supported()
"""
COMPILER = """
nn.attention.WARN_FOR_UNFUSED_KERNELS
nn.attention.list_flash_attention_impls()
nn.attention.current_flash_attention_impl()
nn.attention.activate_flash_attention_impl('other')
compiler.get_default_backend()
compiler.set_default_backend(3)
compiler.save_cache_artifacts()
compiler.nested_compile_region(lambda x: x + 1)(torch.ones(1))
compiler.nested_compile_region()(lambda x: x + 1)(torch.ones(1))
compiler.config.recompile_limit
"""
EXPRESSIONS = [line for text in (CUDA, SERIALIZATION, BACKENDS, DEVICES, COMPILER) for line in text.split("\n") if line]


def _shown(lib, expression):
    for name in MODULES:
        importlib.import_module(f"{lib.__name__}.{name}")
    q = lib.ones(1, 1, 2, 8)
    names = {"torch": lib, "numpy": importlib.import_module("numpy"), "warnings": warnings}
    names["params"] = lambda: lib.backends.cuda.SDPAParams(q, q, q, None, 0.0, False, False)
    first = expression.partition(".")[0]
    source = f"torch.{expression}" if first.isidentifier() or expression.startswith("FloatStorage") else expression
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = str(eval(source, names))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return found.replace("torchlike", "torch")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_like_pytorch(expression):
    if not torchlike.cuda.is_available():
        assert _shown(torchlike, expression) == _shown(torch, expression)


def test_the_default_backend_of_compile():
    for lib in (torch, torchlike):
        lib.compiler.set_default_backend("none")
        try:
            with pytest.raises(Exception, match="Invalid backend: 'none'"):
                lib.compile(lambda x: x)(lib.ones(1))
        finally:
            lib.compiler.set_default_backend(None)


def test_unsupported_names():
    for call in (
        lambda: torchlike.compiler.load_cache_artifacts(b""),
        lambda: torchlike.compiler.skip_all_guards_unsafe([]),
        lambda: torchlike.nn.attention.activate_flash_attention_impl("FA4"),
        lambda: torchlike.utils.checkpoint.GraphExecGroup().__enter__(),
    ):
        with pytest.raises(NotImplementedError, match="is not supported by torchlike; "):
            call()


def test_a_temporary_folder():
    with torchlike.serialization.mkdtemp() as path:
        assert importlib.import_module("os").path.isdir(path)
    assert not importlib.import_module("os").path.exists(path)


@pytest.mark.parametrize("window", [(-1, -1), (-1, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("heads", [2, 1])
def test_varlen_attn(window, heads):
    """Compare with PyTorch's attention of each sequence, because PyTorch packs sequences on GPUs only."""
    varlen = torchlike.nn.attention.varlen
    q, k, v = torch.randn(7, 2, 4), torch.randn(9, heads, 4), torch.randn(9, heads, 4)
    starts, of_keys = [0, 2, 7], [0, 4, 9]
    to = lambda x: torchlike.from_numpy(x.numpy())
    given = [to(x) for x in (q, k, v)] + [torchlike.tensor(x, dtype=torchlike.int32) for x in (starts, of_keys)]
    options = dict(window_size=window, enable_gqa=heads == 1)
    got, sums = varlen.varlen_attn(*given, 5, 5, **options, return_aux=varlen.AuxRequest(lse=True))
    out = torchlike.empty(7, 2, 4)
    assert varlen.varlen_attn_out(out, *given, 5, 5, **options) is out
    for a, b, c, d in zip(starts, starts[1:], of_keys, of_keys[1:]):
        place = torch.arange(b - a).unsqueeze(1) + (d - c) - (b - a)
        keys = torch.arange(d - c)
        mask = torch.ones(b - a, d - c, dtype=torch.bool)
        mask &= keys >= place - window[0] if window[0] >= 0 else True
        mask &= keys <= place + window[1] if window[1] >= 0 else True
        parts = [x.transpose(0, 1).unsqueeze(0) for x in (q[a:b], k[c:d], v[c:d])]
        want = torch.nn.functional.scaled_dot_product_attention(*parts, attn_mask=mask, enable_gqa=heads == 1)
        for found in (got, out):
            torch.testing.assert_close(torch.from_numpy(found[a:b].numpy()), want[0].transpose(0, 1))
        scores = parts[0] @ parts[1].repeat(1, 2 // heads, 1, 1).mT / 2
        want = scores.masked_fill(~mask, -torch.inf).logsumexp(-1)[0]
        torch.testing.assert_close(torch.from_numpy(sums[:, a:b].numpy()), want)


def test_varlen_attn_of_used_keys():
    varlen = torchlike.nn.attention.varlen
    q = torchlike.randn(4, 1, 4)
    starts = torchlike.tensor([0, 2, 4])
    used = torchlike.tensor([1, 0])
    got = varlen.varlen_attn(q, q, q, starts, starts, 2, 2, seqused_k=used)
    torchlike.testing.assert_close(got[:2], q[:1].expand(2, 1, 4))
    assert got[2:].count_nonzero() == 0
    with pytest.raises(ValueError, match="Expect query and key/value to have the same number of heads"):
        varlen.varlen_attn(q.expand(4, 2, 4), q, q, starts, starts, 2, 2)
