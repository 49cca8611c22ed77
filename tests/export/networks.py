"""The networks of `python -m tests.export`. Each is exported for sizes that vary, and called at other sizes.

`import torch` means torchlike here: the libraries are unmodified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

Dim = torch.export.Dim


class Case(NamedTuple):
    """A network, its example inputs, the dims that vary, and other inputs."""

    module: Any
    example: tuple
    dims: Any
    others: tuple[tuple, ...]


NETWORKS: dict[str, Callable[[], Case]] = {}


def network(make: Callable[[], Case]) -> Callable[[], Case]:
    """Add a network to the table."""
    NETWORKS[make.__name__.replace("_", " ")] = make
    return make


def _of_timm(name: str, size: int) -> Case:
    import timm

    pictures = lambda n: (torch.randn(n, 3, size, size),)
    module = timm.create_model(name, pretrained=False).eval()
    for weight in module.parameters():
        if not weight.any():  # some heads begin with zeros, so that all results would be equal
            torch.nn.init.normal_(weight, std=0.1)
    return Case(module, pictures(2), ({0: Dim("b")},), (pictures(5),))


for _name, _size in {
    "resnet18": 64,
    "mobilenetv3_small_100": 64,
    "vit_tiny_patch16_224": 224,
    "convnext_atto": 64,
    "swin_tiny_patch4_window7_224": 224,
    "efficientnet_b0": 64,
    "densenet121": 64,
    "regnetx_002": 64,
    "mixer_s32_224": 224,
    "vgg11": 32,
    "resnext50_32x4d": 64,
    "deit_tiny_patch16_224": 224,
    "ghostnet_100": 64,
    "inception_v3": 96,
    "res2net50_26w_4s": 64,
    "poolformer_s12": 64,
}.items():
    NETWORKS[f"timm {_name}"] = lambda name=_name, size=_size: _of_timm(name, size)

_SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": 100,
    "max_position_embeddings": 128,
}
_DISTIL = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "vocab_size": 100}
_GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 100, "n_positions": 128, "use_cache": False}
_OPT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "ffn_dim": 64, "vocab_size": 100}
_UNCACHED = {**_SMALL, "use_cache": False}
_GROUPED = {**_UNCACHED, "num_key_value_heads": 2}


def _of_transformers(model: str, config: str, options: dict) -> Case:
    import transformers

    made = getattr(transformers, model)(getattr(transformers, config)(**options)).eval()
    text = lambda b, t: (torch.randint(3, 100, (b, t)),)
    return Case(made, text(2, 12), ({0: Dim("b"), 1: Dim("t", max=128)},), (text(3, 12), text(4, 33)))


for _model, _config, _options in (
    ("BertModel", "BertConfig", _SMALL),
    ("RobertaModel", "RobertaConfig", _SMALL),
    ("DistilBertModel", "DistilBertConfig", _DISTIL),
    ("GPT2LMHeadModel", "GPT2Config", _GPT2),
    ("LlamaForCausalLM", "LlamaConfig", _UNCACHED),
    ("Qwen2ForCausalLM", "Qwen2Config", _GROUPED),
    ("MistralForCausalLM", "MistralConfig", _GROUPED),
    ("AlbertModel", "AlbertConfig", {**_SMALL, "embedding_size": 16}),
    ("ElectraModel", "ElectraConfig", {**_SMALL, "embedding_size": 16}),
    ("OPTForCausalLM", "OPTConfig", {**_OPT, "word_embed_proj_dim": 32, "use_cache": False}),
    ("GPTNeoXForCausalLM", "GPTNeoXConfig", _UNCACHED),
):
    NETWORKS[f"transformers {_model}"] = lambda a=(_model, _config, _options): _of_transformers(*a)


class Wrapped(nn.Module):
    """A model that is called by keywords, with one of its results."""

    def __init__(self, model: Any, names: tuple[str, ...], result: str) -> None:
        super().__init__()
        self.model, self.names, self.result = model, names, result

    def forward(self, a: Any, b: Any) -> Any:
        return getattr(self.model(**dict(zip(self.names, (a, b)))), self.result)


@network
def transformers_T5Model() -> Case:
    from transformers import T5Config, T5Model

    small = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "vocab_size": 100}
    model = T5Model(T5Config(**small, use_cache=False)).eval()
    pair = lambda b, t, u: (torch.randint(3, 100, (b, t)), torch.randint(3, 100, (b, u)))
    b, names = Dim("b"), ("input_ids", "decoder_input_ids")
    dims = ({0: b, 1: Dim("t")}, {0: b, 1: Dim("u")})
    return Case(Wrapped(model, names, "last_hidden_state"), pair(2, 9, 5), dims, (pair(3, 20, 11),))


@network
def transformers_WhisperModel() -> Case:
    from transformers import WhisperConfig, WhisperModel

    layers = {f"{part}_{what}": n for part in ("encoder", "decoder") for what, n in (("layers", 2), ("ffn_dim", 64))}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "d_model": 32, "vocab_size": 100}
    sizes = {"max_source_positions": 50, "max_target_positions": 64, "num_mel_bins": 20, "use_cache": False}
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    model = WhisperModel(WhisperConfig(**layers, **heads, **sizes, **tokens)).eval()
    pair = lambda b, u: (torch.randn(b, 20, 100), torch.randint(3, 100, (b, u)))
    b, names = Dim("b"), ("input_features", "decoder_input_ids")
    dims = ({0: b}, {0: b, 1: Dim("u", max=64)})
    return Case(Wrapped(model, names, "last_hidden_state"), pair(2, 5), dims, (pair(3, 9),))


@network
def diffusers_UNet2DModel() -> Case:
    from diffusers import UNet2DModel

    model = UNet2DModel(
        sample_size=16,
        block_out_channels=(16, 32),
        layers_per_block=1,
        norm_num_groups=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    ).eval()
    noise = lambda b: (torch.randn(b, 3, 16, 16), torch.randint(0, 1000, (b,)))
    b = Dim("b", max=63)  # the upsampling copies larger batches
    return Case(Wrapped(model, ("sample", "timestep"), "sample"), noise(2), ({0: b}, {0: b}), (noise(3),))


class Of(nn.Module):
    """A module with parts, whose forward is a function of itself and the inputs."""

    def __init__(self, function: Callable, **parts: Any) -> None:
        super().__init__()
        self.function = function
        for name, part in parts.items():
            self.register_buffer(name, part) if isinstance(part, torch.Tensor) else setattr(self, name, part)

    def forward(self, *inputs: Any) -> Any:
        return self.function(self, *inputs)


def _both(name: str = "t") -> tuple:
    return (({0: Dim("b"), 1: Dim(name)},),)


@network
def LSTM_of_two_directions() -> Case:
    def forward(m, text):
        states, (h, _) = m.layers(m.words(text))
        return m.out(states[:, -1]), h

    layers = nn.LSTM(16, 24, 2, batch_first=True, bidirectional=True)
    module = Of(forward, words=nn.Embedding(50, 16), layers=layers, out=nn.Linear(48, 3))
    text = lambda b, t: (torch.randint(0, 50, (b, t)),)
    return Case(module, text(2, 7), _both(), (text(3, 19),))


@network
def GRU() -> Case:
    module = Of(lambda m, x: F.log_softmax(m.out(m.layer(x)[0].mean(0)), -1), layer=nn.GRU(8, 16), out=nn.Linear(16, 3))
    series = lambda t, b: (torch.randn(t, b, 8),)
    return Case(module, series(7, 2), (({0: Dim("t"), 1: Dim("b")},),), (series(19, 3),))


@network
def recurrent_cells() -> Case:
    module = Of(lambda m, x, state: m.second(m.first(x, state)[0]), first=nn.LSTMCell(8, 16), second=nn.GRUCell(16, 5))
    step = lambda b: (torch.randn(b, 8), (torch.randn(b, 16), torch.randn(b, 16)))
    b = Dim("b")
    return Case(module, step(2), (({0: b}, ({0: b}, {0: b})),), (step(5),))


@network
def TransformerEncoder() -> Case:
    module = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2).eval()
    x = lambda b, t: (torch.randn(b, t, 16),)
    return Case(module, x(2, 9), ({0: Dim("b"), 1: Dim("t")},), (x(3, 20),))


@network
def Transformer() -> Case:
    x = lambda b, t, u: (torch.randn(b, t, 16), torch.randn(b, u, 16))
    b = Dim("b")
    dims = ({0: b, 1: Dim("t")}, {0: b, 1: Dim("u")})
    return Case(nn.Transformer(16, 2, 1, 1, 32, batch_first=True).eval(), x(2, 9, 4), dims, (x(3, 20, 7),))


@network
def temporal_convolutions() -> Case:
    def forward(m, x):
        y = F.relu(m.norm(m.second(F.gelu(m.first(x)))))
        return y.flatten(1)[:, :3], F.adaptive_avg_pool1d(y, 1)

    first, second = nn.Conv1d(4, 8, 3, padding=1), nn.Conv1d(8, 8, 3, padding=2, dilation=2, stride=2)
    module = Of(forward, first=first, second=second, norm=nn.BatchNorm1d(8)).eval()
    x = lambda b, t: (torch.randn(b, 4, t),)
    return Case(module, x(2, 20), (({0: Dim("b"), 2: Dim("t")},),), (x(3, 37),))


@network
def segmentation() -> Case:
    def forward(m, x):
        y = m.up(F.relu(m.second(F.relu(m.first(x)))))
        return F.interpolate(m.out(y), size=x.shape[-2:], mode="bilinear", align_corners=False)

    first, second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)
    module = Of(forward, first=first, second=second, up=nn.ConvTranspose2d(8, 8, 2, 2), out=nn.Conv2d(8, 2, 1))
    x = lambda b: (torch.randn(b, 3, 32, 48),)
    return Case(module, x(2), (({0: Dim("b")},),), (x(3),))


@network
def autoencoder() -> Case:
    def forward(m, x):
        mean = m.mean(torch.relu(m.inner(x)))
        return torch.sigmoid(m.out(mean)), {"mean": mean, "width": x.shape[1]}

    module = Of(forward, inner=nn.Linear(20, 16), mean=nn.Linear(16, 4), out=nn.Linear(4, 20))
    x = lambda b: (torch.randn(b, 20),)
    return Case(module, x(2), (({0: Dim("b")},),), (x(5),))


@network
def batch_norm_in_training() -> Case:
    parts = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)
    x = lambda b: (torch.randn(b, 3, 8, 8),)
    return Case(nn.Sequential(*parts).train(), x(4), ({0: Dim("b")},), (x(6),))


@network
def torch_cond() -> Case:
    def forward(m, x):
        return torch.cond(x.sum() > 0, lambda x: m.yes(x), lambda x: m.no(x) * 2, (x,))

    x = torch.randn(5, 4).abs()
    module = Of(forward, yes=nn.Linear(4, 4), no=nn.Linear(4, 4))
    return Case(module, (torch.randn(3, 4),), (({0: Dim("b")},),), ((x,), (-x,)))


@network
def cache_of_keys() -> Case:
    def forward(m, x, places):
        m.cache.index_copy_(1, places, m.key(x))
        return m.cache.sum(1)

    module = Of(forward, cache=torch.zeros(2, 16, 8), key=nn.Linear(8, 8))
    step = lambda first: (torch.randn(2, 3, 8), torch.arange(first, first + 3))
    return Case(module, step(0), None, (step(3),))


@network
def graph_convolutions() -> Case:
    def forward(m, x, edges):
        n = x.shape[0]
        degree = torch.zeros(n).scatter_add(0, edges[1], torch.ones(edges.shape[1]))
        h = torch.relu(m.first(x))
        messages = h[edges[0]] / degree[edges[0]].clamp(min=1)[:, None]
        return m.second(torch.zeros(n, 8).index_add(0, edges[1], messages))

    module = Of(forward, first=nn.Linear(6, 8), second=nn.Linear(8, 3))
    graph = lambda n, k: (torch.randn(n, 6), torch.randint(0, n, (2, k)))
    return Case(module, graph(5, 12), (({0: Dim("n")}, {1: Dim("e")}),), (graph(9, 30),))


@network
def writes_through_views() -> Case:
    def forward(m, x):
        y = x.clone()
        y[:, 0] = 0
        y[:, -1] += 1
        y[y > 1] = 1
        z = torch.cat([y.mul_(2), x.flip(1)], 1)
        return z.view(z.size(0), 2, -1).permute(1, 0, 2).contiguous(), z.sum() / x.numel()

    x = lambda b, n: (torch.randn(b, n),)
    return Case(Of(forward), x(3, 6), _both("n"), (x(5, 11),))


@network
def rotary_attention() -> Case:
    def forward(m, x):
        b, t, _ = x.shape
        q = m.query(x).view(b, t, 2, 8).transpose(1, 2)
        angles = torch.outer(torch.arange(t).float(), m.frequencies)
        cos, sin = (torch.cat([f, f], -1) for f in (angles.cos(), angles.sin()))
        q = q * cos + torch.cat([-q[..., 4:], q[..., :4]], -1) * sin
        return F.scaled_dot_product_attention(q, q, q, is_causal=True).transpose(1, 2).reshape(b, t, 16)

    frequencies = 1 / 10000 ** (torch.arange(0, 8, 2) / 8)
    x = lambda b, t: (torch.randn(b, t, 16),)
    return Case(Of(forward, query=nn.Linear(16, 16), frequencies=frequencies), x(2, 9), _both(), (x(3, 20),))
