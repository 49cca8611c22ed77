"""Print what users print: one line for each object, with its name, `repr` and `str`. Any library named torch runs it.

`python tests/api/printed.py` prints PyTorch's lines, `python -m torchlike tests/api/printed.py` those of torchlike.
"""

import io
import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

DTYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "float8_e8m0fnu",
    "complex64",
    "complex128",
    "bool",
    "uint8",
    "int8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
]

x = torch.tensor([1.0, 2.0], requires_grad=True)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
data = torch.utils.data


class Doubling(nn.Module):
    """A module without annotations."""

    def forward(self, x):
        return x * 2


def _saved(obj: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return file


def _raised(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except Exception as error:
        return error
    return None


def _kind(call: Callable[[], Any]) -> tuple[type, type]:
    """Return the class of the error of a call, and the class of the same error after `pickle`."""
    error = _raised(call)
    return type(error), type(pickle.loads(pickle.dumps(error)))


OBJECTS: dict[str, Callable[[], Any]] = {
    "device": lambda: torch.device("cpu"),
    "device with an index": lambda: torch.device("cuda", 1),
    "layouts": lambda: [torch.strided, torch.sparse_coo, torch.sparse_csr],
    "memory formats": lambda: [torch.contiguous_format, torch.channels_last, torch.preserve_format],
    "shape": lambda: torch.ones(2, 3).shape,
    "type of a tensor": lambda: type(x),
    "type name": lambda: x.type(),
    "generator": lambda: torch.Generator(),
    "default generator": lambda: torch.default_generator,
    "node": lambda: (x * 2).grad_fn,
    "next nodes": lambda: (x * 2).sum().grad_fn.next_functions,
    "type of a node": lambda: type((x * 2).grad_fn),
    "no_grad": lambda: torch.no_grad(),
    "enable_grad": lambda: torch.enable_grad(),
    "set_grad_enabled": lambda: torch.set_grad_enabled(True),
    "set_grad_enabled in a list": lambda: [torch.set_grad_enabled(True)],
    "inference_mode": lambda: torch.inference_mode(),
    "autocast": lambda: torch.autocast("cpu"),
    "GradScaler": lambda: torch.amp.GradScaler("cpu"),
    "cuda.amp.autocast": lambda: torch.cuda.amp.autocast(enabled=False),
    "cuda.amp.GradScaler": lambda: torch.cuda.amp.GradScaler(enabled=False),
    "cpu.amp.autocast": lambda: torch.cpu.amp.autocast(),
    "detect_anomaly": lambda: torch.autograd.detect_anomaly(),
    "hook of a tensor": lambda: (x * 2).register_hook(print),
    "hook of a module": lambda: nn.ReLU().register_forward_hook(print),
    "hook of a node": lambda: (x * 2).grad_fn.register_hook(print),
    "saved_tensors_hooks": lambda: torch.autograd.graph.saved_tensors_hooks(id, id),
    "gradient edge": lambda: torch.autograd.graph.get_gradient_edge(x * 2)._fields,
    "parameter": lambda: nn.Parameter(torch.ones(2)),
    "buffer": lambda: nn.Buffer(torch.ones(2)),
    "lazy parameter": lambda: repr(nn.UninitializedParameter()),
    "ParameterList": lambda: nn.ParameterList([torch.ones(2)]),
    "ParameterDict": lambda: nn.ParameterDict({"a": torch.ones(2)}),
    "loaded keys": lambda: net.load_state_dict(net.state_dict()),
    "keys": lambda: net.state_dict().keys(),
    "network": lambda: net,
    "attention": lambda: nn.MultiheadAttention(4, 2),
    "optimizer": lambda: sgd,
    "optimizer's type": lambda: type(sgd),
    "schedule": lambda: torch.optim.lr_scheduler.StepLR(sgd, 2),
    "dataset": lambda: data.TensorDataset(torch.ones(2)),
    "loader": lambda: data.DataLoader([1, 2]),
    "sampler": lambda: data.RandomSampler([1, 2]),
    "storage": lambda: torch.ones(2).storage(),
    "untyped storage": lambda: torch.ones(1).untyped_storage(),
    "max": lambda: torch.ones(2, 2).max(dim=1),
    "svd": lambda: torch.ones(1, 1).svd(),
    "distribution": lambda: torch.distributions.Normal(0.0, 1.0),
    "transform": lambda: torch.distributions.AffineTransform(0.0, 1.0),
    "type of a transform": lambda: torch.distributions.transforms.ExpTransform,
    "constraint": lambda: torch.distributions.Normal.support,
    "packed": lambda: nn.utils.rnn.pack_sequence([torch.ones(2)]),
    "graph module": lambda: torch.fx.symbolic_trace(Doubling()),
    "future": lambda: torch.futures.Future(),
    "matrix error": lambda: torch.linalg.LinAlgError,
    "memory error": lambda: torch.OutOfMemoryError,
    "error of a missing name": lambda: _kind(lambda: torch.no_such_name),
    "error of a layout": lambda: _kind(lambda: torch.ones(2, 2).to_sparse().view(4)),
    "error of a file": lambda: _kind(lambda: torch.load(io.BytesIO(b"none"))),
    "error of an object": lambda: _kind(lambda: torch.load(_saved(Doubling()))),
    "error of a backend": lambda: type(_raised(lambda: torch.compile(len, backend="none")(x))),
    "function's context": lambda: torch.autograd.function.FunctionCtx,
    "no gradient": lambda: x.grad,
    "version": lambda: type(torch.__version__),
    "print options": lambda: torch.set_printoptions(),
}


def _limits() -> Iterator[tuple[str, Callable[[], Any]]]:
    for name in DTYPES:
        dtype = getattr(torch, name)
        yield name, lambda dtype=dtype: dtype
        yield f"finfo of {name}", lambda dtype=dtype: torch.finfo(dtype)
        yield f"iinfo of {name}", lambda dtype=dtype: torch.iinfo(dtype)
        for kind in ("min", "max", "eps", "tiny", "smallest_normal", "resolution", "bits", "dtype"):
            yield f"{kind} of {name}", lambda dtype=dtype, kind=kind: getattr(torch.finfo(dtype), kind)
    for wrong in (None, 1, "float32"):
        yield f"finfo of {wrong!r}", lambda wrong=wrong: torch.finfo(wrong)
        yield f"iinfo of {wrong!r}", lambda wrong=wrong: torch.iinfo(wrong)
    yield "finfo", lambda: torch.finfo()
    yield (
        "equal limits",
        lambda: [torch.finfo() == torch.finfo(torch.complex64), torch.finfo() == torch.finfo(torch.half)],
    )


def _printed(make: Callable[[], Any]) -> str:
    try:
        made = make()
        text = f"{made!r} {made}"
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    return re.sub("0x[0-9a-f]+", "0x", text).replace("\n", "\\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, make in {**OBJECTS, **dict(_limits())}.items():
        print(f"{name}: {_printed(make)}")
