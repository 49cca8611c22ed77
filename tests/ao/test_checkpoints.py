"""Quantized tensors and state dicts in files, in both directions."""

import io

import pytest
import torch

import torchlike

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated"),
    pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other"),
    pytest.mark.filterwarnings("ignore:TypedStorage is deprecated"),
]
WAYS = [(torch, torchlike), (torchlike, torch), (torchlike, torchlike)]
NAMES = ["from PyTorch", "to PyTorch", "own"]


def _moved(writer, reader, value, **options):
    file = io.BytesIO()
    writer.save(value, file)
    file.seek(0)
    return reader.load(file, **options)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize(("writer", "reader"), WAYS, ids=NAMES)
def test_tensors(writer, reader, weights_only):
    x = writer.randn(3, 4)
    scales, zeros = writer.rand(3) * 0.1 + 0.01, writer.tensor([0, 3, -2])
    value = {
        "one": writer.quantize_per_tensor(x, 0.1, 3, writer.quint8),
        "wide": writer.quantize_per_tensor(x, 0.1, 3, writer.qint32),
        "transposed": writer.quantize_per_tensor(x, 0.1, 3, writer.qint8).t(),
        "each": writer.quantize_per_channel(x, scales, zeros, 0, writer.qint8),
        "float": writer.quantize_per_channel(x, scales, zeros.float(), 0, writer.quint8),
        "dtype": writer.qint8,
        "scheme": writer.per_channel_affine,
    }
    found = _moved(writer, reader, value, weights_only=weights_only)
    assert {key: repr(x) for key, x in found.items()} == {key: repr(x) for key, x in value.items()}


def _model(library):
    tq, nn = library.ao.quantization, library.nn
    body = nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)
    model = nn.Sequential(tq.QuantStub(), *body, tq.DeQuantStub()).eval()
    model.qconfig = tq.default_per_channel_qconfig
    model = tq.prepare(tq.fuse_modules(model, ["1", "2"]))
    model(library.randn(4, 1, 4, 4))
    return tq.convert(model)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize(("writer", "reader"), WAYS, ids=NAMES)
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_state_dicts(writer, reader, weights_only, is_dynamic):
    def made(library):
        if not is_dynamic:
            return _model(library)
        return library.ao.quantization.quantize_dynamic(library.nn.Sequential(library.nn.Linear(4, 2)))

    first, second = made(writer), made(reader)
    second.load_state_dict(_moved(writer, reader, first.state_dict(), weights_only=weights_only))
    numbers = torch.randn(3, 1, 4, 4).numpy()
    results = [model(library.tensor(numbers)) for library, model in ((writer, first), (reader, second))]
    # A dynamic result is rounded twice here, and once in PyTorch. A static one is a level, the same in both.
    torch.testing.assert_close(*(torch.tensor(x.detach().numpy()) for x in results), rtol=1e-6, atol=1e-6)


def test_whole_models():
    x = torchlike.randn(3, 1, 4, 4)
    model = _model(torchlike)
    assert (_moved(torchlike, torchlike, model, weights_only=False)(x) == model(x)).all()
    lstm = torchlike.ao.quantization.quantize_dynamic(torchlike.nn.Sequential(torchlike.nn.LSTM(4, 3)))
    again = _moved(torchlike, torchlike, lstm, weights_only=False)
    assert (again(x[:, 0])[0] == lstm(x[:, 0])[0]).all()


def test_packed_weights_of_pytorch_are_refused_by_name():
    model = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.LSTM(4, 3)))
    for value in (model.state_dict(), model):
        with pytest.raises(NotImplementedError, match=r"it needs torch\.ScriptObject, .* save the state dict"):
            _moved(torch, torchlike, value, weights_only=False)


@pytest.mark.parametrize("axis", [2, 1])
def test_scales_that_do_not_fit_are_refused(axis):
    value = torchlike.quantize_per_channel(
        torchlike.ones(3, 4), torchlike.ones(3), torchlike.zeros(3).long(), 0, torchlike.qint8
    )
    object.__setattr__(value._quantizer, "axis", axis)
    with pytest.raises(Exception, match="a quantized tensor in it has scales that do not fit"):
        _moved(torchlike, torchlike, value)
