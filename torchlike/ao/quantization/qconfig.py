"""Configurations: the observers of activations and of weights."""

from __future__ import annotations

import copy
from collections import namedtuple
from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.ao.quantization import fake_quantize as fq
from torchlike.ao.quantization import observer as ob
from torchlike.ao.quantization.observer import HistogramObserver, MinMaxObserver, NoopObserver, PlaceholderObserver
from torchlike.cpu import _is_vnni_supported
from torchlike.nn import Identity, Module

_BACKENDS = ["fbgemm", "x86", "qnnpack", "onednn"]
_AVERAGE = ob.MovingAverageMinMaxObserver
_ONEDNN_RANGE = (
    "Default qconfig of oneDNN backend with reduce_range of false may have accuracy issues on CPU without Vector "
    "Neural Network Instruction support."
)


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """The constructors of the observers of a layer's activations and weights.

    Args:
      activation: a class, or the result of its `with_args`.
      weight: a class, or the result of its `with_args`.

    Raises:
      ValueError: an argument is an observer instead of a class.

    >>> import torchlike as torch
    >>> observer = torch.ao.quantization.MinMaxObserver
    >>> config = torch.ao.quantization.QConfig(observer, observer.with_args(dtype=torch.qint8))
    >>> config.weight().dtype
    torch.qint8
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> QConfig:
        if isinstance(activation, Module) or isinstance(weight, Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """Deprecated: use `QConfig`.

    Args:
      activation: a class, or the result of its `with_args`.
      weight: a class, or the result of its `with_args`.

    Raises:
      ValueError: the second argument is an observer instead of a class.
    """

    __slots__ = ()

    def __new__(cls, activation: Any = Identity, weight: Any = Identity) -> QConfigDynamic:
        warn("`QConfigDynamic` is going to be deprecated in PyTorch 1.12, please use `QConfig` instead", FutureWarning)
        if isinstance(weight, Module):
            raise ValueError(
                "QConfigDynamic received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


def _placeholder(**given: Any) -> Any:
    return PlaceholderObserver.with_args(**given)


default_qconfig = QConfig(ob.default_observer, ob.default_weight_observer)
default_debug_qconfig = QConfig(ob.default_debug_observer, ob.default_weight_observer)
default_per_channel_qconfig = QConfig(ob.default_observer, ob.default_per_channel_weight_observer)
default_dynamic_qconfig = QConfig(ob.default_dynamic_quant_observer, ob.default_weight_observer)
float16_dynamic_qconfig = QConfig(_placeholder(dtype=torch.float16, is_dynamic=True), _placeholder(dtype=torch.float16))
float16_static_qconfig = QConfig(_placeholder(dtype=torch.float16), _placeholder(dtype=torch.float16))
per_channel_dynamic_qconfig = QConfig(ob.default_dynamic_quant_observer, ob.default_per_channel_weight_observer)
float_qparams_weight_only_qconfig = QConfig(ob.default_placeholder_observer, ob.default_float_qparams_observer)
float_qparams_weight_only_qconfig_4bit = QConfig(
    ob.default_placeholder_observer, ob.default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(fq.default_fake_quant, fq.default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(fq.default_dynamic_fake_quant, fq.default_weight_fake_quant)
default_weight_only_qconfig = QConfig(Identity, fq.default_weight_fake_quant)
default_activation_only_qconfig = QConfig(fq.default_fake_quant, Identity)
default_qat_qconfig_v2 = QConfig(fq.default_fused_act_fake_quant, fq.default_fused_wt_fake_quant)
default_reuse_input_qconfig = QConfig(ob.default_reuse_input_observer, NoopObserver)
default_symmetric_qnnpack_qconfig = QConfig(
    HistogramObserver.with_args(dtype=torch.qint8, reduce_range=False, eps=2**-12),
    ob.weight_observer_range_neg_127_to_127,
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    HistogramObserver.with_args(dtype=torch.qint8, reduce_range=False, eps=2**-12),
    ob.per_channel_weight_observer_range_neg_127_to_127,
)
default_embedding_qat_qconfig = QConfig(NoopObserver.with_args(dtype=torch.float32), fq.default_embedding_fake_quant)
default_embedding_qat_qconfig_4bit = QConfig(
    NoopObserver.with_args(dtype=torch.float32), fq.default_embedding_fake_quant_4bit
)
default_quint8_weight_qconfig = QConfig(HistogramObserver, MinMaxObserver)

QConfigAny = QConfig | None


def _symmetric_activation() -> Any:
    return fq.FusedMovingAvgObsFakeQuantize.with_args(
        observer=_AVERAGE, quant_min=-128, quant_max=127, dtype=torch.qint8, reduce_range=False, eps=2**-12
    )


default_symmetric_qnnpack_qat_qconfig = QConfig(_symmetric_activation(), fq.fused_wt_fake_quant_range_neg_127_to_127)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    _symmetric_activation(), fq.fused_per_channel_wt_fake_quant_range_neg_127_to_127
)


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """Return the configuration of quantization after training.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`. The first two use half of the range of activations.
      version: must be 0.

    Raises:
      AssertionError: the back end or the version is unknown.
    """
    _check_backend(backend)
    if version != 0:
        raise AssertionError(
            f"Version number: {version} in get_default_qconfig is not supported. Version number must be 0"
        )
    if backend == "onednn" and not _is_vnni_supported():
        warn(_ONEDNN_RANGE)
    activation = HistogramObserver.with_args(reduce_range=backend in ("fbgemm", "x86"))
    per_tensor = backend == "qnnpack"
    return QConfig(activation, ob.default_weight_observer if per_tensor else ob.default_per_channel_weight_observer)


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """Return the configuration of quantization-aware training.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`. The first two use half of the range of activations.
      version: 1 for modules that observe and round in one operator, 0 for separate ones.

    Raises:
      AssertionError: the back end or the version is unknown.
    """
    _check_backend(backend)
    if version not in (0, 1):
        raise AssertionError(
            f"Version number: {version}in get_default_qat_qconfig is not supported. Version number must be 0 or 1"
        )
    kind = fq.FusedMovingAvgObsFakeQuantize if version else fq.FakeQuantize
    reduced = {} if backend == "onednn" else {"reduce_range": backend != "qnnpack"}
    activation = kind.with_args(observer=_AVERAGE, quant_min=0, quant_max=255, **reduced)
    one = fq.default_fused_wt_fake_quant if version else fq.default_weight_fake_quant
    each = fq.default_fused_per_channel_wt_fake_quant if version else fq.default_per_channel_weight_fake_quant
    return QConfig(activation, one if backend == "qnnpack" else each)


def get_default_qconfig_dict(backend: str = "x86", version: int = 0) -> dict[str, Any]:
    """Return `get_default_qconfig_mapping` as a dictionary.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`.
      version: must be 0.

    >>> import torchlike as torch
    >>> list(torch.ao.quantization.get_default_qconfig_dict())[:2]
    ['', 'object_type']
    """
    return torch.ao.quantization.get_default_qconfig_mapping(backend, version).to_dict()


def get_default_qat_qconfig_dict(backend: str = "x86", version: int = 1) -> dict[str, Any]:
    """Return `get_default_qat_qconfig_mapping` as a dictionary.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`.
      version: 1 for modules that observe and round in one operator, 0 for separate ones.

    >>> import torchlike as torch
    >>> list(torch.ao.quantization.get_default_qat_qconfig_dict())[:2]
    ['', 'object_type']
    """
    return torch.ao.quantization.get_default_qat_qconfig_mapping(backend, version).to_dict()


def _check_backend(backend: str) -> None:
    if backend not in _BACKENDS:
        raise AssertionError(f"backend: {backend} not supported. backend must be one of {_BACKENDS}")


def _assert_valid_qconfig(qconfig: Any, mod: Any) -> None:
    """Raise an error if the weight of a transposed convolution would have one scale for each channel."""
    is_transposed = isinstance(mod, torch.nn.ConvTranspose1d | torch.nn.ConvTranspose2d | torch.nn.ConvTranspose3d)
    if qconfig is None or not is_transposed or qconfig.weight is None:
        return
    if isinstance(qconfig.weight(), ob.PerChannelMinMaxObserver):
        raise AssertionError("Per channel weight observer is not supported yet for ConvTranspose{n}d.")


def _add_module_to_qconfig_obs_ctr(qconfig: Any, module: Any) -> Any:
    """Return a configuration whose observers are made on the device of the module."""
    if module is None or qconfig is None or qconfig._fields != ("activation", "weight"):
        return qconfig

    def on_its_device() -> dict[str, Any] | None:
        devices = [x.device for x in (*module.parameters(), *module.buffers())]
        return {"device": devices[0]} if devices else None

    def placed(constructor: Any) -> Any:
        try:
            constructor.with_args(factory_kwargs=None)()
            return constructor.with_callable_args(factory_kwargs=on_its_device)
        except (AttributeError, TypeError):  # the constructor takes no such argument
            return constructor

    return QConfig(placed(qconfig.activation), placed(qconfig.weight))


def _activation_is_memoryless(qconfig: Any) -> bool:
    """Return whether the observer of activations uses only its latest input."""
    made = qconfig.activation()
    watched = getattr(made, "activation_post_process", made) if isinstance(made, fq.FakeQuantizeBase) else made
    return getattr(watched, "averaging_constant", None) == 1


def qconfig_equals(q1: Any, q2: Any) -> bool:
    """Return whether two configurations make equal observers.

    Args:
      q1: a configuration, or None.
      q2: a configuration, or None.
    """
    if q1 is None or q2 is None:
        return q1 is q2
    return _makes_equal(q1.activation, q2.activation) and _makes_equal(q1.weight, q2.weight)


def _makes_equal(one: Any, other: Any) -> bool:
    if not (isinstance(one, ob._PartialWrapper) and isinstance(other, ob._PartialWrapper)):
        return one == other
    mine, theirs = copy.copy(one.p.keywords), copy.copy(other.p.keywords)
    watched = _makes_equal(mine.pop("observer", None), theirs.pop("observer", None))
    return watched and mine == theirs and one.p.func == other.p.func and one.p.args == other.p.args
