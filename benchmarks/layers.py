"""Benchmarks of many layers, forward and backward, warm, against PyTorch on one thread.

`python -m benchmarks.layers` writes `LAYERS.md` and `LAYERS.json` next to this file. Arguments select the
rows that contain them.
"""

import contextlib
import os
import sys
import time

from benchmarks.turns import compared, write

WARM = 4  # steps of torchlike after which everything is compiled
# Each row has a layer or function and its arguments (`tensor` reads them). Inputs are float32, or float64 if the row
# contains `.double()`.
ROWS = """
nn.Linear(512, 512) : 256, 512
nn.Bilinear(32, 32, 16) : 64, 32 ; 64, 32
nn.Conv1d(64, 64, 3, padding=1) : 8, 64, 1024
nn.Conv1d(256, 256, 5, padding=4, dilation=2) : 4, 256, 256
nn.Conv1d(256, 256, 4, groups=256) : 8, 256, 512
nn.Conv1d(128, 128, 65, padding=32, groups=8) : 2, 128, 256
nn.Conv2d(3, 64, 7, stride=2, padding=3) : 4, 3, 112, 112
nn.Conv2d(64, 64, 3, padding=1) : 4, 64, 56, 56
nn.Conv2d(128, 128, 3, stride=2, padding=1) : 4, 128, 28, 28
nn.Conv2d(512, 512, 3, padding=1) : 4, 512, 4, 4
nn.Conv2d(256, 64, 1) : 4, 256, 28, 28
nn.Conv2d(96, 96, 3, padding=1, groups=96) : 4, 96, 28, 28
nn.Conv2d(96, 96, 7, padding=3, groups=96) : 4, 96, 14, 14
nn.Conv2d(96, 96, 5, stride=2, padding=2, groups=96) : 4, 96, 28, 28
nn.Conv2d(128, 128, 3, padding=1, groups=32) : 4, 128, 28, 28
nn.Conv2d(64, 64, 3, padding=2, dilation=2) : 4, 64, 28, 28
nn.Conv2d(64, 64, 3, padding=1).double() : 4, 64, 28, 28
nn.Conv2d(96, 96, 3, padding=1, groups=96).double() : 4, 96, 28, 28
nn.Conv3d(16, 32, 3, padding=1) : 2, 16, 8, 28, 28
nn.Conv3d(32, 32, 3, stride=2, padding=1) : 2, 32, 8, 28, 28
nn.ConvTranspose1d(64, 32, 4, 2, 1) : 4, 64, 256
nn.ConvTranspose2d(128, 64, 4, 2, 1) : 8, 128, 8, 8
nn.ConvTranspose2d(64, 64, 2, 2) : 4, 64, 28, 28
nn.ConvTranspose3d(16, 16, 2, 2) : 2, 16, 4, 14, 14
nn.Unfold(3, padding=1) : 4, 32, 28, 28
nn.Fold((28, 28), 3, padding=1) : 4, 288, 784
nn.MaxPool1d(2) : 8, 64, 1024
nn.MaxPool2d(2) : 8, 64, 56, 56
nn.MaxPool2d(3, 2, 1) : 8, 64, 56, 56
nn.MaxPool2d(2, return_indices=True) : 8, 64, 28, 28
nn.MaxPool3d(2) : 2, 16, 8, 28, 28
nn.AvgPool2d(2) : 8, 64, 56, 56
nn.AvgPool2d(3, 1, 1) : 8, 64, 28, 28
nn.AdaptiveAvgPool2d(1) : 8, 64, 28, 28
nn.AdaptiveAvgPool2d(7) : 8, 64, 30, 30
nn.AdaptiveMaxPool2d(7) : 8, 64, 30, 30
nn.LPPool2d(2, 2) : 8, 64, 28, 28
nn.Upsample(scale_factor=2) : 4, 32, 28, 28
nn.Upsample(scale_factor=2, mode="bilinear") : 4, 32, 28, 28
nn.Upsample(scale_factor=2, mode="bicubic") : 4, 32, 28, 28
nn.Upsample(size=(20, 20), mode="bilinear") : 4, 32, 28, 28
nn.PixelShuffle(2) : 4, 64, 28, 28
nn.ReflectionPad2d(3) : 8, 32, 28, 28
nn.ReplicationPad2d(3) : 8, 32, 28, 28
nn.ZeroPad2d(3) : 8, 32, 28, 28
nn.CircularPad2d(3) : 8, 32, 28, 28
nn.BatchNorm1d(512) : 256, 512
nn.BatchNorm2d(64) : 8, 64, 56, 56
nn.BatchNorm2d(64).eval() : 8, 64, 56, 56
nn.GroupNorm(8, 64) : 8, 64, 28, 28
nn.InstanceNorm2d(64) : 8, 64, 28, 28
nn.LayerNorm(512) : 64, 128, 512
nn.RMSNorm(512) : 64, 128, 512
nn.LocalResponseNorm(5) : 8, 64, 28, 28
nn.Softmax(-1) : 64, 64, 256
nn.LogSoftmax(1) : 64, 1000
nn.Softmax2d() : 8, 64, 28, 28
nn.ReLU() : 64, 128, 256
nn.GELU() : 64, 128, 256
nn.GELU("tanh") : 64, 128, 256
nn.SiLU() : 64, 128, 256
nn.Mish() : 64, 128, 256
nn.ELU() : 64, 128, 256
nn.SELU() : 64, 128, 256
nn.Softplus() : 64, 128, 256
nn.Hardswish() : 64, 128, 256
nn.Sigmoid() : 64, 128, 256
nn.Tanh() : 64, 128, 256
nn.PReLU(64) : 64, 64, 256
nn.GLU() : 64, 128, 256
nn.Dropout(0.5) : 64, 128, 256
nn.Dropout2d(0.5) : 64, 128, 16, 16
nn.RNN(128, 128, batch_first=True) : 16, 64, 128
nn.LSTM(128, 128, batch_first=True) : 16, 64, 128
nn.LSTM(64, 64, 2, batch_first=True, bidirectional=True) : 16, 64, 64
nn.GRU(128, 128, batch_first=True) : 16, 64, 128
nn.LSTMCell(128, 128) : 64, 128
nn.MultiheadAttention(128, 4, batch_first=True) : 8, 64, 128 ; 8, 64, 128 ; 8, 64, 128
nn.TransformerEncoderLayer(128, 4, 256, batch_first=True) : 8, 64, 128
nn.TransformerDecoderLayer(128, 4, 256, batch_first=True) : 8, 64, 128 ; 8, 64, 128
F.scaled_dot_product_attention : 8, 4, 128, 32 ; 8, 4, 128, 32 ; 8, 4, 128, 32
nn.Embedding(5000, 256) : int 5000, 32, 128
nn.EmbeddingBag(5000, 256) : int 5000, 256, 16
nn.CrossEntropyLoss() : 512, 1000 ; int 1000, 512
nn.CrossEntropyLoss(label_smoothing=0.1) : 8, 21, 64, 64 ; int 21, 8, 64, 64
nn.NLLLoss() : 512, 1000 ; int 1000, 512
nn.MSELoss() : 64, 128, 256 ; 64, 128, 256
nn.SmoothL1Loss() : 64, 128, 256 ; 64, 128, 256
nn.BCEWithLogitsLoss() : 64, 128, 256 ; 64, 128, 256
nn.KLDivLoss() : 512, 1000 ; 512, 1000
nn.CosineSimilarity() : 512, 1000 ; 512, 1000
nn.TripletMarginLoss() : 512, 256 ; 512, 256 ; 512, 256
nn.MultiMarginLoss() : 512, 100 ; int 100, 512
nn.CTCLoss() : log 50, 8, 20 ; int 19, 8, 10 ; full 50, 8 ; full 10, 8
F.grid_sample : 4, 16, 28, 28 ; 4, 28, 28, 2
L.cdist : 256, 64 ; 256, 64
F.pdist : 256, 64
L.logsumexp : 512, 1000 ; dim 1
L.cumsum : 512, 1000 ; dim 1
L.cumprod : 512, 100 ; dim 1
L.prod : 512, 100 ; dim 1
L.sort : 512, 1000 ; dim 1
L.topk : 512, 1000 ; dim 10
L.median : 512, 1000 ; dim 1
L.index_select : 512, 1000 ; dim 0 ; int 512, 4096
L.gather : 512, 1000 ; dim 1 ; int 1000, 512, 1000
L.take_along_dim : 512, 1000 ; int 1000, 512, 1000 ; dim 1
L.scatter_add : 512, 1000 ; dim 1 ; int 1000, 512, 1000 ; 512, 1000
L.index_add : 512, 1000 ; dim 0 ; int 512, 2048 ; 2048, 1000
L.roll : 512, 1000 ; dim 3
L.outer : 1000 ; 1000
L.bmm : 32, 64, 64 ; 32, 64, 64
L.linalg.norm : 512, 1000
L.linalg.det : 64, 16, 16
L.linalg.inv : 64, 16, 16
L.linalg.solve : 64, 16, 16 ; 64, 16, 4
L.linalg.svd : 16, 16, 16
L.linalg.eigh : square 32
L.linalg.cholesky : square 64
L.matrix_exp : 16, 16, 16
L.fft.rfft : 64, 1024
L.fft.fft2 : 8, 64, 64
L.fft.ifft : 64, 1024
L.nn.functional.interpolate : 4, 32, 28, 28 ; dim 14
""".strip().splitlines()


def tensor(library, text: str):
    """Return the argument that `text` describes: the sizes of a tensor, an integer dim, or how to fill a tensor."""
    words = text.replace(",", " ").split()
    kind = words.pop(0) if words[0].isalpha() else ""
    numbers = [int(n) for n in words]
    if kind == "dim":
        return numbers[0]
    if kind == "int":
        return library.randint(0, numbers[0], numbers[1:])
    if kind == "full":
        return library.full(numbers[1:], numbers[0])
    if kind == "square":
        x = library.randn(numbers[0], numbers[0])
        return x @ x.T + library.eye(numbers[0])
    x = library.randn(*numbers)
    return x.log_softmax(-1).detach() if kind == "log" else x


STEP = """
def step():
    found = layer(*inputs)
    while isinstance(found, tuple):
        found = found[0]
    found = found.abs() if found.is_complex() else found
    gradients = library.autograd.grad((found * found).mean(), wanted, allow_unused=True)
    return [g.numpy() for g in gradients if g is not None]
"""


def timed(library, row: str):
    """Return a function that runs the layer forward and backward, waits for the gradients, and returns the seconds.

    The function has source lines of its own, like the training loop of a user.
    """
    library.manual_seed(0)
    layer, _, given = row.partition(" : ")
    known = {"L": library, "nn": library.nn, "F": library.nn.functional, "library": library}
    layer = known["layer"] = eval(layer, known)
    inputs = [tensor(library, text) for text in given.split(" ; ")]
    inputs = known["inputs"] = [x.double() if ".double()" in row else x for x in inputs]
    wanted = [x.requires_grad_() for x in inputs if getattr(x, "is_floating_point", bool)()]
    known["wanted"] = wanted + (list(layer.parameters()) if hasattr(layer, "parameters") else [])
    exec(compile(STEP, row, "exec"), known)

    def seconds() -> float:
        started = time.perf_counter()
        held = known["step"]()
        took = time.perf_counter() - started
        del held
        return took

    return seconds


ABOUT = """
# Layers, forward and backward

Written by `python -m benchmarks.layers`: one thread each, in turns, medians, once hot. A row is a layer or a function
and the sizes of what it is given; its time is that of the result and of the gradients for inputs and parameters.
"""


def main(wanted: list[str]) -> None:
    with contextlib.suppress(AttributeError):  # a platform without CPU affinity
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])  # before the libraries count the cores
    import torch

    import torchlike

    torch.set_num_threads(1)
    found = []
    for row in ROWS:
        if not wanted or any(w in row for w in wanted):
            found.append(compared(row, timed(torch, row), timed(torchlike, row), WARM))
            print({k: v if isinstance(v, str) else round(v, 2) for k, v in found[-1].items()}, flush=True)
    if not wanted:
        write("LAYERS", ABOUT, found)


if __name__ == "__main__":
    main(sys.argv[1:])
