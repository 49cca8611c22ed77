"""Activations, norms, transposed and dynamic convolutions, embeddings and functions of quantized tensors."""

import copy
import re

import pytest

from tests.oracle import both

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other"),
    pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated"),
    pytest.mark.filterwarnings("ignore:Please use quant_min"),
    pytest.mark.filterwarnings("ignore:PReLU's weight observer", "ignore:The current implementation of the Dynamic"),
]


def _input(torch, *shape, scale=0.0513, zero_point=60):
    return torch.quantize_per_tensor(torch.randn(*shape), scale, zero_point, torch.quint8)


def _levels(made):
    return made.int_repr(), made.q_scale(), made.q_zero_point()


LAYERS = {
    "PReLU": lambda nn: nn.PReLU(6),
    "PReLU with one slope": lambda nn: nn.PReLU(),
    "ELU": lambda nn: nn.ELU(1.2),
    "Sigmoid": lambda nn: nn.Sigmoid(),
    "Softmax": lambda nn: nn.Softmax(1),
    "LayerNorm": lambda nn: nn.LayerNorm([8, 10]),
    "LayerNorm without parameters": lambda nn: nn.LayerNorm(10, elementwise_affine=False),
    "GroupNorm": lambda nn: nn.GroupNorm(3, 6),
    "InstanceNorm2d": lambda nn: nn.InstanceNorm2d(6, affine=True),
    "InstanceNorm2d without parameters": lambda nn: nn.InstanceNorm2d(6),
    "ConvTranspose2d": lambda nn: nn.ConvTranspose2d(6, 4, 3, 2, 1, 1, 2, dilation=2),
    "ConvTranspose2d without bias": lambda nn: nn.ConvTranspose2d(6, 6, (2, 3), (3, 2), (2, 0), bias=False),
}


@pytest.mark.parametrize("name", LAYERS)
def test_from_float(name):
    def run(torch):
        layer = LAYERS[name](torch.nn)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter)
        layer.qconfig = torch.ao.quantization.default_qconfig
        layer.activation_post_process = torch.ao.quantization.MinMaxObserver()
        x = _input(torch, 4, 6, 8, 10)
        layer.activation_post_process(layer(x.dequantize()))
        made = getattr(torch.ao.nn.quantized, type(layer).__name__).from_float(layer)
        again = copy.deepcopy(made)
        shown = re.sub(r"scale=[\d.]+", "", repr(made))  # the scale of the observer may differ in the last bit
        return shown, list(made.state_dict()), _levels(made(x)), _levels(again(x))

    both(run, stride=False)


NEW = {
    "ConvTranspose1d": lambda nnq: nnq.ConvTranspose1d(4, 6, 3),
    "ConvTranspose2d": lambda nnq: nnq.ConvTranspose2d(4, 6, 3, 2, 1, 1, 2, dilation=2),
    "ConvTranspose3d": lambda nnq: nnq.ConvTranspose3d(4, 6, 3, bias=False),
    "reflected": lambda nnq: nnq.ConvTranspose2d(4, 6, 3, padding_mode="reflect"),
    "groups": lambda nnq: nnq.ConvTranspose2d(4, 5, 3, groups=2),
    "Embedding": lambda nnq: nnq.Embedding(5, 4),
    "EmbeddingBag": lambda nnq: nnq.EmbeddingBag(5, 4),
    "qint8": lambda nnq: nnq.Embedding(5, 4, dtype="qint8"),
    "ELU": lambda nnq: nnq.ELU(0.1, 3),
    "Softmax": lambda nnq: nnq.Softmax(),
    "PReLU": lambda nnq: nnq.PReLU(0.1, 3),
    "LayerNorm": lambda nnq: nnq.LayerNorm([10], None, None, 0.1, 3),
    "GroupNorm": lambda nnq: nnq.GroupNorm(2, 6, None, None, 0.1, 3),
    "InstanceNorm1d": lambda nnq: nnq.InstanceNorm1d(6, None, None, 0.1, 3),
    "InstanceNorm3d": lambda nnq: nnq.InstanceNorm3d(6, None, None, 0.1, 3),
    "dynamic Conv1d": lambda nnq: nnq.dynamic.Conv1d(2, 4, 3, padding=1, padding_mode="reflect"),
    "dynamic Conv3d": lambda nnq: nnq.dynamic.Conv3d(2, 4, 3),
    "dynamic ConvTranspose2d": lambda nnq: nnq.dynamic.ConvTranspose2d(2, 4, 3, 2),
}


@pytest.mark.parametrize("name", NEW)
def test_text_and_keys(name):
    def run(torch):
        made = NEW[name](torch.ao.nn.quantized)
        return repr(made), list(made.state_dict())

    both(run)


@pytest.mark.parametrize("reduce_range", [True, False])
@pytest.mark.parametrize("kind", ["Conv1d", "Conv2d", "ConvTranspose2d", "reflect"])
def test_dynamic_convolutions(kind, reduce_range):
    def run(torch):
        nn, nnqd = torch.nn, torch.ao.nn.quantized.dynamic
        mode = {"padding_mode": "reflect", "padding": 1} if kind == "reflect" else {}
        name = "Conv2d" if kind == "reflect" else kind
        layer = getattr(nn, name)(4, 4, 3, **mode)
        layer.qconfig = torch.ao.quantization.default_dynamic_qconfig
        made = getattr(nnqd, name).from_float(layer)
        x = torch.randn(2, 4, 9) if kind == "Conv1d" else torch.randn(2, 4, 9, 8)
        return made(x, reduce_range), repr(made)

    both(run, stride=False)


def test_transposed_3d_convolution():
    def run(torch):
        x = _input(torch, 2, 3, 4, 5, 6)
        weight = torch.quantize_per_tensor(torch.randn(3, 3, 2, 2, 2), 0.021, 0, torch.qint8)
        packed = torch.ops.quantized.conv_transpose3d_prepack(weight, None, [2] * 3, [1] * 3, [0] * 3, [1] * 3, 1)
        return _levels(torch.ops.quantized.conv_transpose3d(x, packed, 0.11, 60))

    both(run, stride=False)


def test_a_transposed_convolution_with_other_output_channels_equals_the_float_one():
    import torchlike as torch  # PyTorch's engine x86 permutes the weight in this case

    x = _input(torch, 2, 6, 5, 5, scale=0.05)
    weight = torch.quantize_per_tensor(torch.randn(6, 4, 3, 3), 0.02, 0, torch.qint8)
    packed = torch.ops.quantized.conv_transpose2d_prepack(weight, None, [1, 1], [0, 0], [0, 0], [1, 1], 1)
    made = torch.ops.quantized.conv_transpose2d(x, packed, 0.3, 128)
    wanted = torch.nn.functional.conv_transpose2d(x.dequantize(), weight.dequantize())
    assert (made.dequantize() - wanted).abs().max() < 0.151


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag", "trained", "trained bag"])
def test_embeddings(kind):
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization
        has_bags = kind.endswith("ag")
        layer = (nn.EmbeddingBag if has_bags else nn.Embedding)(20, 7)
        indices = torch.randint(0, 20, (12,))
        if kind.startswith("trained"):
            model = nn.Sequential(layer)
            model.qconfig = tq.default_embedding_qat_qconfig
            model = tq.prepare_qat(model.train(), mapping=tq.get_embedding_qat_module_mappings())
            loss = model(indices.view(3, 4)).square().sum()
            loss.backward()
            before = loss, model[0].weight.grad, repr(model), repr(model[0].to_float())
            made = tq.convert(model.eval(), mapping=tq.get_embedding_static_quant_module_mappings())
        else:
            before = ()
            made = tq.quantize_dynamic(nn.Sequential(layer), dtype=torch.quint8)
        state = made.state_dict()
        copied = copy.deepcopy(made)
        copied.load_state_dict(state)
        found = [made(indices.view(3, 4)), copied(indices.view(3, 4).int())]
        if has_bags:
            offsets, factors = torch.tensor([0, 5, 5]), torch.rand(12)
            found += [made[0](indices, offsets), made[0](indices, offsets, factors)]
        return before, repr(made), list(state), found

    both(run)


@pytest.mark.parametrize("indices", [[20], [0.5]])
def test_bad_indices_of_embeddings(indices):
    both(lambda torch: torch.ao.nn.quantized.Embedding(5, 4)(torch.tensor(indices)))


FUNCTIONS = {
    "avg_pool2d": lambda F, x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda F, x: F.adaptive_avg_pool2d(x, 3),
    "max_pool2d": lambda F, x: F.max_pool2d(x, 2, 2, 0, 1, True),
    "max_pool1d": lambda F, x: F.max_pool1d(x[:, :, 0], 3),
    "indices": lambda F, x: F.max_pool1d(x[:, :, 0], 3, return_indices=True),
    "nearest": lambda F, x: F.interpolate(x, (13, 5)),
    "bilinear": lambda F, x: F.interpolate(x, (13, 15), mode="bilinear"),
    "aligned": lambda F, x: F.interpolate(x, (5, 15), mode="bilinear", align_corners=True),
    "scaled": lambda F, x: F.interpolate(x, scale_factor=1.7, mode="bilinear"),
    "celu": lambda F, x: F.celu(x, 0.031, 40, 1.3),
    "elu": lambda F, x: F.elu(x, 0.031, 40, 1.3),
    "leaky_relu": lambda F, x: F.leaky_relu(x, 0.3),
    "leaky_relu with a scale": lambda F, x: F.leaky_relu(x, 0.3, False, 0.07, 20),
    "hardtanh": lambda F, x: F.hardtanh(x, -0.3, 0.8),
    "hardswish": lambda F, x: F.hardswish(x, 0.031, 20),
    "threshold": lambda F, x: F.threshold(x, 0.21, 0.7),
    "no threshold": lambda F, x: F.threshold(x, None, 0.7),
    "hardsigmoid": lambda F, x: F.hardsigmoid(x),
    "clamp": lambda F, x: F.clamp(x, -0.3, 0.8),
    "float": lambda F, x: F.clamp(x.dequantize(), -0.3, 0.8),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    both(
        lambda torch: _levels(FUNCTIONS[name](torch.ao.nn.quantized.functional, _input(torch, 4, 4, 8, 8))),
        stride=False,
    )


@pytest.mark.filterwarnings("ignore:nn.quantized.functional.upsample")
def test_products_as_functions():
    def run(torch):
        F = torch.ao.nn.quantized.functional
        x = _input(torch, 2, 4, 8, 8)
        weight = torch.quantize_per_tensor(torch.randn(6, 2, 3, 3), 0.021, 0, torch.qint8)
        linear = torch.quantize_per_tensor(torch.randn(3, 8), 0.021, 0, torch.qint8)
        bias = torch.randn(6)
        return (
            _levels(F.conv2d(x, weight, bias, 2, 1, 1, 2, scale=0.1, zero_point=50)),
            _levels(F.conv1d(x[:, :, 0], weight[:, :, 0], bias, groups=2, scale=0.1, zero_point=50)),
            _levels(F.linear(x, linear)),
            _levels(F.linear(x, linear, bias[:3], 0.13, 40)),
            _levels(F.upsample(x, 4)),
            _levels(F.upsample_nearest(x, scale_factor=2)),
            _levels(F.upsample_bilinear(x, 5)),
        )

    both(run, stride=False)


def test_fused_layers():
    def run(torch):
        nn, nni, tq = torch.nn, torch.ao.nn.intrinsic, torch.ao.quantization
        fused = [
            nni.LinearLeakyReLU(nn.Linear(2, 2), nn.LeakyReLU()),
            nni.LinearTanh(nn.Linear(2, 2), nn.Tanh()),
            nni.ConvAdd2d(nn.Conv2d(1, 1, 1), torch.add),
            nni.ConvAddReLU2d(nn.Conv2d(1, 1, 1), torch.add, nn.ReLU()),
        ]
        image = torch.randn(1, 1, 3, 3)
        found = [each(torch.ones(1, 2)) for each in fused[:2]] + [each(image, -image) for each in fused[2:]]
        model = tq.fuse_modules(nn.Sequential(nn.Linear(4, 3), nn.ReLU()).eval(), ["0", "1"])
        dynamic = tq.quantize_dynamic(model)
        norm = tq.fuse_modules(nn.Sequential(nn.BatchNorm2d(4), nn.ReLU()).eval(), ["0", "1"])
        norm = nn.Sequential(tq.QuantStub(), norm)
        norm.qconfig = tq.default_qconfig
        norm = tq.prepare(norm)
        norm(torch.randn(2, 4, 3, 3))
        norm = tq.convert(norm)
        return repr(fused), found, repr(dynamic), repr(norm), _levels(norm(torch.randn(2, 4, 3, 3)))

    both(run, stride=False)


def test_fused_layers_check_their_parts():
    both(lambda torch: torch.ao.nn.intrinsic.LinearTanh(torch.nn.Linear(1, 1), torch.nn.ReLU()))


@pytest.mark.parametrize("config", ["default_qat_qconfig", "default_dynamic_qat_qconfig", None])
def test_training_for_dynamic_quantization(config):
    def run(torch):
        given = None if config is None else getattr(torch.ao.quantization, config)
        layer = torch.ao.nn.qat.dynamic.Linear(3, 2, qconfig=given)
        return layer(torch.ones(1, 3)), torch.ao.nn.quantized.dynamic.Linear(3, 2)(torch.ones(1, 3)).shape

    both(run)
