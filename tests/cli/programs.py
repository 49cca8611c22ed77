"""Small programs that use one known name of PyTorch, in many styles of importing it, and programs that hide names."""

from __future__ import annotations

from collections.abc import Iterator

# Names with their verdicts.
VERDICTS = {
    "torch.nn.functional.relu": "supported",
    "torch.nn.Linear": "supported",
    "torch.optim.lr_scheduler.CosineAnnealingLR": "supported",
    "torch.utils.data.Dataset": "supported",
    "torch.distributed.tensor.parallel.ColwiseParallel": "supported",
    "torch.float32": "supported",
    "torch._utils._flatten_dense_tensors": "supported",
    "torch.linalg.svd": "differing",
    "torch.compile": "differing",
    "torch.utils.data.DataLoader": "differing",
    "torch.quantize_per_tensor": "supported",
    "torch.quantized_gru": "refused",
    "torch.ao.quantization.prepare": "differing",
    "torch.nested.nested_tensor": "differing",
    "torch.jit.save": "differing",
    "torch.onnx.export": "differing",
    "torch.utils.cpp_extension.load": "refused",
    "torch.distributed.rpc.init_rpc": "refused",
    "torch.distributed.tensor.experimental.context_parallel": "refused",
    "torch.no_such_function": "missing",
    "torch.nn.NoSuchLayer": "missing",
    "torch.no_such_module.function": "missing",
    "torch._inductor.no_such_module.function": "missing",
    "torch.Tensor.no_such_method": "missing",
    "torch._C._no_such_binding": "missing",
}

# Programs that use `{owner}.{last}`, a name in a module or class; `{top}` is the first word below `torch`.
STYLES = {
    "import of the library": "import torch\ntorch.{path}()\n",
    "import under another name": "import torch as t\nt.{path}()\n",
    "import of the module": "import torch.nn\ntorch.{path}()\n",
    "assigned module": "import torch\nlib = torch\nlib.{path}()\n",
    "chained assignment": "import torch\na = b = torch\nc, d = b, 3\nc.{path}()\n",
    "import in a function": "def f():\n    import torch\n    return torch.{path}()\n",
    "function before the import": "def f():\n    return torch.{path}()\n\nimport torch\n",
    "import in a method": "class A:\n    def f(self):\n        import torch as nn\n        return nn.{path}()\n",
    "nested function": "def f():\n    import torch\n    def g():\n        return [torch.{path}() for i in range(3)]\n",
    "global statement": "def f():\n    global torch\n    import torch\ndef g():\n    torch.{path}()\n",
    "optional library": "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.{path}()\n",
    "placeholder of the library": (
        "try:\n    import torch\nexcept ImportError:\n    class torch: pass\ndef f():\n    torch.{path}()\n"
    ),
    "import under a condition": "if AVAILABLE:\n    import torch\nelse:\n    torch = object()\ntorch.{path}()\n",
    "imported by its name": 'import importlib\nt = importlib.import_module("torch")\nt.{path}()\n',
    "imported by a test": 'import pytest\ntorch = pytest.importorskip("torch")\ntorch.{path}()\n',
    "looked up by a string": 'import torch\ngetattr(torch, "{path}")()\n',
    "default of a parameter": "import torch\ndef f(torch=torch.{path}()):\n    torch.hidden\n",
    "decorator": "import torch\n@torch.{path}\ndef f(): pass\n",
    "annotation": "import torch\ndef f(x: torch.{path}() = 3) -> int: pass\n",
    "assignment expression": "import torch\nif (t := torch) and t.{path}(): pass\n",
    "comprehension": "import torch\n[torch.{path}() for torch.x in [torch]]\n",
    "class body": "import torch\nclass A:\n    lib = torch\n    x = lib.{path}()\n",
    "torchlike itself": "import torchlike as torch\ntorch.{path}()\n",
    "f-string": 'import torch\nf"{{torch.{path}()}}"\n',
    "match statement": "import torch\nmatch 3:\n    case x if torch.{path}(): pass\n",
    "with statement": "import torch\nwith torch.{path}() as x: pass\n",
    "asynchronous": "import torch\nasync def f():\n    await torch.{path}()\n",
    "lambda": "import torch\nf = lambda nn: torch.{path}()\n",
}
FROM_STYLES = {
    "from": "from {owner} import {last}\n{last}()\n",
    "from under another name": "from {owner} import {last} as x\nx()\n",
    "module under another name": "import {owner} as m\nm.{last}()\n",
    "in a function": "def f():\n    from {owner} import {last}\n    {last}()\n",
    "optional": "try:\n    from {owner} import {last}\nexcept ImportError:\n    {last} = None\n",
    "for type checkers": "import typing\nif typing.TYPE_CHECKING:\n    from {owner} import {last}\n    {last}()\n",
}

# Programs in which `torch.hidden`, or `hidden` of something else, is not PyTorch's.
HIDDEN = {
    "parameter": "import torch\ndef f(torch):\n    torch.hidden\n",
    "keyword parameter": "from torch import nn\ndef f(*, nn=3):\n    nn.hidden\n",
    "parameter of a lambda": "from torch import nn\nf = lambda nn: nn.hidden\n",
    "local variable": "import torch.nn as nn\ndef f():\n    nn = make()\n    return nn.hidden\n",
    "assigned again": "import torch.nn as nn\nnn = make(nn)\nnn.hidden\n",
    "loop variable": "from torch import nn\ndef f():\n    for nn in things:\n        nn.hidden\n",
    "comprehension": "from torch import nn\n[nn.hidden for nn in things]\n",
    "another import": "import torch.nn as nn\ndef f():\n    from flax import linen as nn\n    nn.hidden\n",
    "exception": "from torch import nn\ndef f():\n    try: pass\n    except ValueError as nn: nn.hidden\n",
    "context": "from torch import nn\ndef f():\n    with make() as nn: nn.hidden\n",
    "function of that name": "from torch import nn\ndef f():\n    def nn(): pass\n    nn.hidden\n",
    "class of that name": "from torch import nn\ndef f():\n    class nn: pass\n    nn.hidden\n",
    "relative import": "from . import torch\ntorch.hidden\n",
    "module of another package": "from mine.torch import nn\nnn.hidden\n",
    "attribute": "import torch\nself.torch.hidden\n",
    "result of a call": "import torch\ntorch.get_rng_state().hidden\n",
    "value": "import torch\ntorch.version.cuda.hidden\ntorch.__version__.split()\n",
    "attribute of a function": "import torch\ntorch.add.hidden\n",
    "name in a class, from a method": "class A:\n    import torch\n    def f(self):\n        torch.hidden\n",
    "one of two libraries": "if JAX:\n    import jax.nn as nn\nnn.hidden\nif not JAX:\n    import torch.nn as nn\n",
    "the program's own attribute": "import torch\ntorch.hidden = 3\nx = torch.hidden\n",
    "operator of another library": "import torch\ntorch.ops.mine.hidden(3)\n",
    "parameter that may be a tensor": "import torch\ndef f(x: torch.Tensor):\n    x.hidden()\n",
    "tensor that is assigned again": "import torch\nx = torch.zeros(3)\nx = make(x)\nx.hidden\n",
    "tensor with an attribute": "import torch\nx = torch.zeros(3)\nx.hidden = 3\nx.hidden\n",
    "result written into another object": "import torch\nx = torch.add(y, y, out=z)\nx.hidden\n",
    "star import of another library": "from torch import *\nfrom mine import *\nhidden()\nzeros()\n",
    "string": 'import torch\nx = "torch.hidden"\n',
    "cycle of assignments": "a = b\nb = a\na.hidden\n",
    "loop of assignments": "import torch\n" + "a = b\nb = a\n" * 50 + "a = torch\na.hidden\n",
    "match": "from torch import nn\ndef f(x):\n    match x:\n        case {'nn': nn}: nn.hidden\n",
}


def programs() -> Iterator[tuple[str, str, str]]:
    """Yield the style, the code and the name of each program."""
    for name in VERDICTS:
        owner, _, last = name.rpartition(".")
        values = {"path": name.removeprefix("torch."), "owner": owner, "last": last}
        for style, code in {**STYLES, **FROM_STYLES}.items():
            yield f"{style}: {name}", code.format(**values), name
