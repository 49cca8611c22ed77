"""The entries of docs/differences.md by the names that they are about.

An entry is given by the anchor of its section and by words of it. A name may end in `.*`, for all names below it, and
in `(argument)`, for calls with a keyword argument that is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

PAGE = "docs/differences.md"


class Entry(NamedTuple):
    """An entry of the page: the anchor of its section, words that it contains, and the names, separated by spaces."""

    anchor: str
    text: str
    names: str


COMPILING = "compiling"
OPTIMIZERS = "optimizers-and-data"
SAVING = "saving-files"
LOADING = "loading-checkpoints"
PRECISION = "mixed-precision"
MEMORY = "tensors-and-memory"
GRADIENTS = "gradients"
TRANSFORMS = "function-transforms"
SINGLE = "single-operators"
RUNNING = "running-programs"
NAMES = "names-without-an-implementation"
PROCESSES = "processes"
DISTRIBUTED = "distributed-training"
TOOLS = "subclasses-and-tools"
CONTROL = "control-flow-and-jax"
SPARSE = "sparse-tensors"
NESTED = "nested-tensors"
DISTRIBUTIONS = "distributions"
CAPTURABLE = ("Adadelta", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop")
ENTRIES = (
    Entry(
        COMPILING,
        "`torch.compile` captures the whole call and compiles it with XLA.",
        "torch.compile torch.compile(options) torch.compile(shapes_spec) torch.compile(isolate_recompiles)",
    ),
    Entry(SINGLE, "Decreasing offsets of `F.embedding_bag` are refused.", "torch.nn.functional.embedding_bag"),
    Entry(
        COMPILING,
        "`torch.jit.trace` runs the module's own Python code at each call.",
        "torch.jit.trace torch.jit.trace_module torch.jit.ScriptModule",
    ),
    Entry(
        COMPILING,
        "`torch.onnx.export` writes fewer folded weights than PyTorch",
        "torch.onnx.export torch.onnx.utils.export torch.onnx.register_custom_op_symbolic",
    ),
    Entry(
        NAMES,
        "`ao.quantization` has eager mode.",
        "torch.ao.quantization.* torch.quantization.* torch.backends.quantized.engine",
    ),
    Entry(COMPILING, "`torch.jit.save` writes no TorchScript.", "torch.jit.save torch.jit.load"),
    Entry(COMPILING, "`torch.jit.script` runs the Python code and checks it", "torch.jit.script torch.jit.freeze"),
    Entry(NAMES, "`hub` downloads files and loads local folders", "torch.hub.load torch.hub.list torch.hub.help"),
    Entry(
        DISTRIBUTED,
        "`send`, `recv` and Python objects pass through the store",
        "torch.distributed.send torch.distributed.recv torch.distributed.isend torch.distributed.irecv "
        "torch.distributed.batch_isend_irecv torch.distributed.all_gather_object torch.distributed.gather_object "
        "torch.distributed.broadcast_object_list torch.distributed.scatter_object_list",
    ),
    Entry(
        DISTRIBUTED,
        "The device determines the transport of collectives",
        "torch.distributed.init_process_group torch.distributed.init_process_group(pg_options) "
        "torch.distributed.new_group(pg_options) torch.distributed.new_group torch.distributed.get_backend",
    ),
    Entry(
        DISTRIBUTED,
        "A collective of a captured call, of DDP or with `async_op=True` is recorded.",
        "torch.distributed.all_reduce torch.distributed.broadcast torch.distributed.all_gather "
        "torch.distributed.reduce torch.distributed.gather torch.distributed.scatter torch.distributed.barrier "
        "torch.distributed.reduce_scatter torch.distributed.all_to_all torch.distributed.all_gather_into_tensor "
        "torch.distributed.reduce_scatter_tensor torch.distributed.all_to_all_single",
    ),
    Entry(
        DISTRIBUTED,
        "`bucket_cap_mb` and `gradient_as_bucket_view` have no effect.",
        "torch.nn.parallel.DistributedDataParallel torch.nn.parallel.distributed.DistributedDataParallel",
    ),
    Entry(
        DISTRIBUTED,
        "Functions of `_functional_collectives` return plain tensors",
        "torch.distributed._functional_collectives.*",
    ),
    Entry(
        DISTRIBUTED,
        "`DTensor`: an operator without a rule runs on the whole tensors",
        "torch.distributed.tensor.DTensor torch.distributed.tensor.distribute_tensor "
        "torch.distributed.tensor.distribute_module torch.distributed.tensor.parallel.loss_parallel",
    ),
    Entry(
        DISTRIBUTED,
        "`fully_shard`: while they are gathered, the parameters of a module are not leaves",
        "torch.distributed.fsdp.fully_shard torch.distributed.fsdp.FSDPModule "
        "torch.distributed._composable.fsdp.fully_shard",
    ),
    Entry(
        DISTRIBUTED,
        "`FullyShardedDataParallel` keeps each parameter as a `DTensor`",
        "torch.distributed.fsdp.FullyShardedDataParallel torch.distributed.fsdp.StateDictType "
        "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
    ),
    Entry(
        DISTRIBUTED,
        "`ZeroRedundancyOptimizer`: `parameters_as_bucket_view` has no effect",
        "torch.distributed.optim.ZeroRedundancyOptimizer",
    ),
    Entry(
        DISTRIBUTED,
        "The module of functions is `torch.distributed`",
        "torch.distributed.distributed_c10d",
    ),
    Entry(PROCESSES, "`torch.multiprocessing` is Python's", "torch.multiprocessing.*"),
    Entry(
        TOOLS,
        "`torch.profiler` times the programs that execute the operators",
        "torch.profiler.profile torch.profiler.profile(profile_memory) torch.profiler.profile(with_flops) "
        "torch.profiler.profile(with_modules) torch.autograd.profiler.profile",
    ),
    Entry(TOOLS, "`utils.benchmark` flushes at the end of each timed statement", "torch.utils.benchmark.Timer"),
    Entry(TOOLS, "`torch.compile` and `export` call the kernel of a custom operator", "torch.library.custom_op"),
    Entry(
        NAMES,
        "`library.register_fake` accepts operators that do not exist",
        "torch.library.register_fake torch.library.impl",
    ),
    Entry(NAMES, "`ops.load_library` raises `OSError`.", "torch.ops.load_library"),
    Entry(
        TOOLS,
        "A graph of `torch.fx` names the public function",
        "torch.fx.symbolic_trace torch.fx.Tracer torch.fx.GraphModule torch.fx.Graph",
    ),
    Entry(RUNNING, "is `2.13.0+torchlike.` followed by torchlike's own version", "torch.__version__"),
    Entry(MEMORY, "`data_ptr()` of a CPU tensor is the address of a copy", "torch.Tensor.data_ptr"),
    Entry(MEMORY, "`set_` refuses a slice of a storage.", "torch.Tensor.set_ torch.from_file"),
    Entry(
        NAMES,
        "`utils.data.datapipes` has no data frames",
        "torch.utils.data.DFIterDataPipe torch.utils.data.datapipes.dataframe.*",
    ),
    Entry(
        TOOLS,
        "`utils.flop_counter.FlopCounterMode` has formulas for torchlike's own operators only",
        "torch.utils.flop_counter.FlopCounterMode torch.utils.flop_counter.FlopCounterMode(custom_mapping)",
    ),
    Entry(TOOLS, "`utils.collect_env` reports the versions that matter", "torch.utils.collect_env.*"),
    Entry(NAMES, "`SummaryWriter` of `utils.tensorboard` refuses", "torch.utils.tensorboard.SummaryWriter"),
    Entry(
        SINGLE,
        "`sdpa_kernel` and the switches of `backends.cuda` choose the backend of attention.",
        "torch.nn.attention.sdpa_kernel torch.backends.cuda.sdp_kernel torch.backends.cuda.enable_flash_sdp "
        "torch.backends.cuda.enable_mem_efficient_sdp torch.backends.cuda.enable_math_sdp",
    ),
    Entry(
        PRECISION,
        "`GradScaler` passes gradients already divided by the scale to every optimizer",
        "torch.amp.GradScaler torch.cuda.amp.GradScaler torch.GradScaler torch.cpu.amp.GradScaler",
    ),
    Entry(
        SINGLE,
        "`flex_attention` computes all scores",
        "torch.nn.attention.flex_attention.flex_attention torch.nn.attention.flex_attention.create_block_mask",
    ),
    Entry(
        CONTROL,
        "`cond`, `while_loop`, `scan`, `associative_scan` and `map` call their functions once",
        "torch.cond torch.while_loop torch._higher_order_ops.*",
    ),
    Entry(
        TRANSFORMS,
        "Results of `vmap` never share memory with its arguments.",
        "torch.vmap torch.func.vmap",
    ),
    Entry(TRANSFORMS, "`func.jvp` copies its inputs", "torch.func.jvp torch.func.linearize"),
    Entry(SAVING, "`torch.save` to a path replaces the file in one step", "torch.save torch.serialization.save"),
    Entry(
        LOADING,
        "`torch.load` refuses files that PyTorch may read",
        "torch.load torch.serialization.load",
    ),
    Entry(
        LOADING,
        "`torch.distributed.checkpoint` writes and reads PyTorch's folders",
        "torch.distributed.checkpoint.*",
    ),
    Entry(
        SINGLE,
        "`linalg.lstsq` uses singular values for every `driver`.",
        "torch.linalg.lstsq",
    ),
    Entry(SINGLE, "`lobpcg` keeps converged pairs in the search space", "torch.lobpcg"),
    Entry(SINGLE, "`fft.ihfft2` and `ihfftn` of one dim write into `out=`", "torch.fft.ihfft2 torch.fft.ihfftn"),
    Entry(SINGLE, "`grouped_mm` accepts matrices with any strides.", "torch.nn.functional.grouped_mm"),
    Entry(
        SINGLE,
        "`topk`, `kthvalue`, `mode` and an unstable sort may choose any of several equal elements",
        "torch.topk torch.kthvalue torch.mode torch.sort torch.argsort torch.msort torch.Tensor.topk "
        "torch.Tensor.kthvalue torch.Tensor.mode torch.Tensor.sort torch.Tensor.argsort torch.Tensor.msort",
    ),
    Entry(SINGLE, "`SobolEngine` refuses points beyond number 2^30", "torch.quasirandom.SobolEngine"),
    Entry(MEMORY, "`resize_(0)` frees the contents of a storage", "torch.UntypedStorage torch.TypedStorage"),
    Entry(
        MEMORY,
        "New elements of a tensor that `resize_` enlarges are zeros",
        "torch.Tensor.resize_ torch.Tensor.resize_as_",
    ),
    Entry(
        SINGLE,
        "`linalg.svd` and the functions that use it",
        "torch.svd torch.linalg.svd torch.linalg.svdvals torch.linalg.pinv torch.linalg.cond torch.linalg.matrix_rank "
        "torch.pinverse torch.linalg.eig",
    ),
    Entry(
        MEMORY,
        "DLPack does not share writes with a `jax.Array`",
        "torch.from_dlpack torch.utils.dlpack.from_dlpack torch.utils.dlpack.to_dlpack",
    ),
    Entry(
        NESTED,
        "Layout `torch.strided`: the functions that PyTorch has",
        "torch.nested.nested_tensor torch.nested.as_nested_tensor torch.nested.narrow",
    ),
    Entry(
        SPARSE,
        "The layouts are COO, CSR and CSC, without batches of CSR and CSC matrices.",
        "torch.sparse_coo_tensor torch.sparse_csr_tensor torch.sparse_csc_tensor torch.sparse_compressed_tensor "
        "torch.sparse.mm torch.sparse.mm(reduce) torch.Tensor.to_sparse torch.Tensor.to_sparse_csr",
    ),
    Entry(
        GRADIENTS,
        "`jacobian(vectorize=...)` has no effect",
        "torch.autograd.functional.jacobian torch.autograd.functional.hessian",
    ),
    Entry(
        GRADIENTS,
        "`gradcheck(fast_mode=True)` does not repeat a mismatch in slow mode.",
        "torch.autograd.gradcheck torch.autograd.gradcheck.gradcheck "
        "torch.autograd.gradcheck(check_batched_forward_grad)",
    ),
    Entry(
        DISTRIBUTIONS,
        "Gradients of gamma and Dirichlet samples",
        "torch.distributions.Gamma torch.distributions.Dirichlet torch.distributions.Beta "
        "torch.distributions.StudentT torch.distributions.Chi2",
    ),
    Entry(DISTRIBUTIONS, "Bessel functions (`VonMises`) are exact", "torch.distributions.VonMises"),
    Entry(
        OPTIMIZERS,
        "`capturable=True` is refused for parameters on an accelerator.",
        " ".join(f"torch.optim.{name}(capturable)" for name in CAPTURABLE),
    ),
    Entry(
        OPTIMIZERS,
        "`DataLoader(num_workers=...)`: worker processes compute with NumPy",
        "torch.utils.data.DataLoader torch.utils.data.dataloader.DataLoader",
    ),
    Entry(SINGLE, "`_scaled_mm` saturates and checks its operands", "torch._scaled_mm"),
)


@functools.cache
def _by_name() -> dict[str, Entry]:
    return {name: each for each in ENTRIES for name in each.names.split() if not name.endswith(")")}


def entry(name: str) -> str:
    """Return the place and the words of the entry about a name, or an empty string if there is none."""
    found = _by_name().get(name)
    words = name.split(".")
    while found is None and len(words) > 1:
        words.pop()
        found = _by_name().get(".".join([*words, "*"]))
    return f"{PAGE}#{found.anchor}: {found.text}" if found else ""


def refused_arguments(name: str) -> dict[str, Callable[[Any], bool]]:
    """Return the arguments of a function that are refused unless they are false, each with `bool`."""
    forms = (re.fullmatch(r"(.*)\((\w+)\)", form) for each in ENTRIES for form in each.names.split())
    return {form[2]: bool for form in forms if form and form[1] == name}
