"""Known differences, and the reasons. The table may only shrink."""

from __future__ import annotations

from tests.conformance.database import Known

CHANNELS = "PyTorch returns no channels for an input without channels, though the weight has some"
GARBAGE = "PyTorch returns uninitialized memory for an input without elements"
ORDER = "several errors apply, and another one is raised first"
WORDS = "the error has other words"

KNOWN: Known = {
    ("nn.LazyConv?d", "shapes: empty*"): CHANNELS,
    ("nn.MultiLabelMarginLoss|nn.MultiMarginLoss", "shapes:*"): GARBAGE,
    ("nn.GaussianNLLLoss", "meta"): "PyTorch reads the variance of a tensor on the device meta, and refuses that",
    ("nn.CTCLoss", "non-contiguous"): "PyTorch reads one-dim targets with gaps as if they had none",
    ("nn.CTCLoss", "meta"): "PyTorch lacks shapes of this operator on the device meta",
    ("nn.CTCLoss", "shapes:*"): ORDER,
    ("nn.TransformerDecoderLayer", "to:*inputs*"): WORDS,
    ("nn.MultiheadAttention", "shapes:*"): WORDS,
    ("nn.KLDivLoss", "second*"): "the second gradient of one sample is NaN and PyTorch's is not",
    ("nn.KLDivLoss", "*bfloat16"): "intermediate results are rounded at other places",
    ("nn.RNN", "*bfloat16"): "sums have another order, and each step rounds to bfloat16",
}
