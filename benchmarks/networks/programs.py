"""The networks of the benchmark, written for PyTorch. `import torch` is either PyTorch or torchlike."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from benchmarks.networks import NETWORKS

CLASSES, VOCABULARY = 10, 1000
LAYERS = {"encoder6": 6, "encoder24": 24}
WIDTH, HEADS, HIDDEN = 192, 3, 768  # of the encoders
TIMM = {
    "resnet18": ("resnet18", {}),
    "resnet50": ("resnet50", {}),
    "mobilenetv3": ("mobilenetv3_large_100", {}),
    "efficientnet_b0": ("efficientnet_b0", {}),
    "convnext_atto": ("convnext_atto", {}),
    "vit_tiny": ("vit_tiny_patch16_224", {"img_size": 64}),
    "swin_tiny": ("swin_tiny_patch4_window7_224", {"img_size": 64, "window_size": 2}),
}


@dataclass(frozen=True)
class Program:
    """A network with its batch: `loss(*batch)` trains, `answer(*batch)` is the result of inference."""

    model: nn.Module
    batch: tuple
    loss: Callable
    answer: Callable


def program(name: str) -> Program:
    """Return the network `name` with random weights and data."""
    if NETWORKS[name].needs:
        without_torchvision_operators()
    torch.manual_seed(0)
    if name in TIMM:
        return timm(*TIMM[name])
    if name in LAYERS:
        return encoder(LAYERS[name])
    return OTHERS[name]()


def without_torchvision_operators() -> None:
    """Make torchvision, which timm and transformers import, importable in PyTorch for the CPU.

    The registry's torchvision is built for CUDA. Without its compiled operators, its import fails, because it registers
    two of them without a check. No network of the benchmark calls them.
    """
    with contextlib.suppress(ImportError):
        try:
            import torchvision  # noqa: F401
        except RuntimeError:
            for name in ("nms", "qnms"):
                torch.library.define(
                    f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
                )


def classifier(model: nn.Module, *batch) -> Program:
    """Return the program of a model that is called with all of its batch but the classes, which are last."""
    return Program(
        model, batch, lambda *batch: F.cross_entropy(model(*batch[:-1]), batch[-1]), lambda *batch: model(*batch[:-1])
    )


def timm(name: str, options: dict) -> Program:
    from timm import create_model

    model = create_model(name, num_classes=CLASSES, **options)
    return classifier(model, torch.randn(8, 3, 64, 64), torch.arange(8))


def encoder(layers: int) -> Program:
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, HIDDEN, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    model = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    return Program(model, (torch.randn(8, 36, WIDTH),), lambda x: model(x).square().mean(), lambda x: model(x))


def unet() -> Program:
    from diffusers.models.unets.unet_2d import UNet2DModel

    model = UNet2DModel(
        sample_size=32,
        in_channels=3,
        out_channels=3,
        layers_per_block=2,
        block_out_channels=(32, 64, 64),
        down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=8,
    )
    x, noise, times = torch.randn(4, 3, 32, 32), torch.randn(4, 3, 32, 32), torch.tensor([1, 5, 9, 20])
    return Program(
        model,
        (x, noise, times),
        lambda x, noise, times: F.mse_loss(model(x + noise, times).sample, noise),
        lambda x, noise, times: model(x + noise, times).sample,
    )


def gpt2() -> Program:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_layer=4, n_embd=256, n_head=4, vocab_size=VOCABULARY, n_positions=128, use_cache=False)
    return labelled(GPT2LMHeadModel(config), 64)


def t5() -> Program:
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        num_layers=3,
        d_model=256,
        num_heads=4,
        d_ff=512,
        d_kv=64,
        vocab_size=VOCABULARY,
        decoder_start_token_id=0,  # pyright: ignore[reportCallIssue] the base class takes it
        use_cache=False,
    )
    return labelled(T5ForConditionalGeneration(config), 32)


def bert() -> Program:
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        num_hidden_layers=4,
        hidden_size=256,
        num_attention_heads=4,
        intermediate_size=1024,
        vocab_size=VOCABULARY,
        max_position_embeddings=128,
    )
    return labelled(BertForMaskedLM(config), 64)


def labelled(model: nn.Module, length: int) -> Program:
    """Return the program of a language model of transformers that learns its own input."""
    x = torch.randint(1, VOCABULARY, (4, length))
    return Program(
        model, (x,), lambda x: model(input_ids=x, labels=x).loss, lambda x: model(input_ids=x, labels=x).logits
    )


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, 128)
        self.lstm = nn.LSTM(128, 256, num_layers=2, batch_first=True)
        self.head = nn.Linear(256, VOCABULARY)

    def forward(self, x):
        return self.head(self.lstm(self.tokens(x))[0])


def lstm_lm() -> Program:
    model, x = LanguageModel(), torch.randint(VOCABULARY, (16, 33))
    return Program(
        model,
        (x,),
        lambda x: F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()),
        lambda x: model(x[:, :-1]),
    )


class Seq2Seq(nn.Module):
    """An encoder, and a decoder that attends to the encoder's states, one token after another."""

    def __init__(self, width=128):
        super().__init__()
        self.source, self.target = nn.Embedding(VOCABULARY, width), nn.Embedding(VOCABULARY, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRUCell(2 * width, width)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, source, target):
        states, last = self.encoder(self.source(source))  # (B, S, D), (1, B, D)
        h, found = last[0], []
        for word in self.target(target).unbind(1):
            weights = (states @ h[:, :, None]).softmax(1)  # (B, S, 1)
            h = self.decoder(torch.cat([word, (weights * states).sum(1)], -1), h)
            found.append(self.head(h))
        return torch.stack(found, 1)  # (B, T, VOCABULARY)


def gru_seq2seq() -> Program:
    model, source, target = Seq2Seq(), torch.randint(VOCABULARY, (16, 20)), torch.randint(VOCABULARY, (16, 13))
    return Program(
        model,
        (source, target),
        lambda source, target: F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten()),
        lambda source, target: model(source, target[:, :-1]),
    )


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(32, 64, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(128, CLASSES)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(states.sum(1) / lengths[:, None])


def packed_lstm() -> Program:
    lengths = torch.tensor([24, 3, 17, 9, 20, 5, 12, 11])
    return classifier(Tagger(), torch.randn(8, 24, 32), lengths, torch.arange(8))


OTHERS = {f.__name__: f for f in (unet, gpt2, t5, bert, lstm_lm, gru_seq2seq, packed_lstm)}
