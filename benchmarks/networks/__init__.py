"""Benchmark of real networks: training and inference beside PyTorch eager, `torch.compile` and hand-written JAX.

`python -m benchmarks.networks` writes `NETWORKS.md`, `NETWORKS.json` and `NETWORKS.svg` into the folder `benchmarks`.
Names of networks as arguments measure only those and keep the other rows. `--short` measures a few networks in a minute
or two, writes nothing, and prints what became slower than the committed table says. Both write a progress bar to
stderr.

The networks of timm, transformers and diffusers run unmodified from the registry. A scratch environment keeps their
versions apart from those of the tests; a library that it lacks is a row "not installed":

    python -m venv networks && . networks/bin/activate
    pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu
    pip install -e ".[examples]" timm transformers diffusers accelerate matplotlib

`torch.compile` needs a C++ compiler.
"""

from dataclasses import dataclass

from benchmarks.contenders import ALL, COMPILE, JAX, OURS, TORCH, WHOLE

SIDES = {TORCH: "torch", COMPILE: "torch", OURS: "torchlike", WHOLE: "torchlike", JAX: "jax"}  # side: library
COMPARED = 3  # steps whose losses are compared
WARM = 16  # steps after which everything is compiled: torchlike interprets up to nine
SHORT = ("encoder6", "lstm_lm", "packed_lstm")  # they need no library but PyTorch


@dataclass(frozen=True)
class Network:
    """A network of the table. `needs` is the library of its code, besides PyTorch."""

    title: str
    needs: str | None = None
    has_jax: bool = False

    def sides(self) -> list[str]:
        return [side for side in ALL if side != JAX or self.has_jax]


NETWORKS = {
    "resnet18": Network("ResNet-18, 64 px", "timm"),
    "resnet50": Network("ResNet-50, 64 px", "timm"),
    "mobilenetv3": Network("MobileNetV3, 64 px", "timm"),
    "efficientnet_b0": Network("EfficientNet-B0, 64 px", "timm"),
    "convnext_atto": Network("ConvNeXt-atto, 64 px", "timm"),
    "vit_tiny": Network("ViT-tiny, 64 px", "timm"),
    "swin_tiny": Network("Swin-tiny, 64 px", "timm"),
    "unet": Network("UNet2D, 32 px", "diffusers"),
    "gpt2": Network("GPT-2, 4x256", "transformers"),
    "t5": Network("T5, 3x256", "transformers"),
    "bert": Network("BERT, 4x256", "transformers"),
    "lstm_lm": Network("LSTM language model"),
    "gru_seq2seq": Network("GRU seq2seq with attention"),
    "packed_lstm": Network("packed bidirectional LSTM, 2 layers"),
    "encoder6": Network("Transformer encoder, 6 layers of 192", has_jax=True),
    "encoder24": Network("Transformer encoder, 24 layers of 192", has_jax=True),
}
