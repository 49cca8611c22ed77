"""Eager mode quantization: observers are added to a model, and its layers are replaced by quantized ones."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike._errors.warned import warn
from torchlike.ao.nn import quantizable as nnqa
from torchlike.ao.nn import quantized as nnq
from torchlike.ao.nn.intrinsic import _FusedModule
from torchlike.ao.quantization import qconfig as configs
from torchlike.ao.quantization import quantization_mappings as mappings
from torchlike.ao.quantization.observer import _is_activation_post_process
from torchlike.ao.quantization.stubs import DeQuantStub, QuantWrapper
from torchlike.ao.quantization.utils import DEPRECATION_WARNING, has_no_children_ignoring_parametrizations
from torchlike.nn.utils.parametrize import type_before_parametrizations

is_activation_post_process = _is_activation_post_process


def _warn() -> None:
    warn(DEPRECATION_WARNING, DeprecationWarning)


def get_default_custom_config_dict() -> dict[str, Any]:
    """Return the classes that have observed classes of their own, and the quantized classes of these."""
    return {
        "float_to_observed_custom_module_class": {nn.LSTM: nnqa.LSTM, nn.MultiheadAttention: nnqa.MultiheadAttention},
        "observed_to_quantized_custom_module_class": {
            nnqa.LSTM: nnq.LSTM,
            nnqa.MultiheadAttention: nnq.MultiheadAttention,
        },
    }


# -- configurations ----------------------------------------------------------------------------------------------------


def propagate_qconfig_(module: Any, qconfig_dict: dict | None = None, prepare_custom_config_dict: Any = None) -> None:
    """Set `qconfig` of all submodules: their own, that of their name or class, or that of the module around them.

    Args:
      module: the model.
      qconfig_dict: configurations by class, and by name.
      prepare_custom_config_dict: `non_traceable_module_name` and `non_traceable_module_class`, which are left out.
    """
    _propagate(module, qconfig_dict or {}, None, "", prepare_custom_config_dict or {})


def _propagate(module: Any, named: dict, outer: Any, prefix: str, custom: dict) -> None:
    found = named.get(type_before_parametrizations(module), outer)
    found = getattr(module, "qconfig", named.get(prefix, found))
    configs._assert_valid_qconfig(found, module)
    module.qconfig = found = configs._add_module_to_qconfig_obs_ctr(found, module)
    for name, child in module.named_children():
        is_left_out = name in custom.get("non_traceable_module_name", ()) or type(child) in custom.get(
            "non_traceable_module_class", ()
        )
        if not is_left_out:
            _propagate(child, named, found, f"{prefix}.{name}" if prefix else name, {})


# -- observers ---------------------------------------------------------------------------------------------------------


def _observer_forward_hook(self: Any, input: Any, output: Any) -> Any:
    return self.activation_post_process(output)


def _observer_forward_pre_hook(self: Any, input: Any) -> Any:
    return self.activation_post_process(input[0])


def _has_config(module: Any) -> bool:
    return getattr(module, "qconfig", None) is not None


class _Watching:
    """Adds observers to the submodules of a model."""

    def __init__(self, kinds: set, whole: set, device: Any, custom: dict) -> None:
        self.kinds, self.whole, self.device, self.custom = kinds, whole, device, custom

    def add(self, module: Any) -> None:
        """Add observers to the submodules of `module`, and to itself if it is a leaf of a listed class."""
        for name, child in module.named_children():
            self._add_to_child(module, name, child)
        kind = type_before_parametrizations(module)
        is_layer = has_no_children_ignoring_parametrizations(module) or hasattr(module, "weight_fake_quant")
        if is_layer and not isinstance(module, nn.Sequential) and kind in self.kinds:
            self.watch(module)

    def _add_to_child(self, module: Any, name: str, child: Any) -> None:
        kind = type_before_parametrizations(child)
        if kind is nn.Dropout:
            return
        if issubclass(kind, nnq.FloatFunctional | nnq.QFunctional):
            if _has_config(child):
                child.activation_post_process = self._observer(child.qconfig)
        elif isinstance(child, _FusedModule) or kind in self.whole:
            self.watch(child)
        elif mappings._has_special_act_post_process(child):
            self.watch(child, mappings._get_special_act_post_process(child))
        elif _has_config(child) and kind in self.custom:
            setattr(module, name, self.custom[kind].from_float(child))
        else:
            self.add(child)

    def watch(self, module: Any, special: Any = None) -> None:
        """Add an observer to a module that has a configuration."""
        if not _has_config(module) or isinstance(module, DeQuantStub):
            return
        module.add_module("activation_post_process", self._observer(module.qconfig, special))
        if configs._activation_is_memoryless(module.qconfig):
            module.register_forward_pre_hook(_observer_forward_pre_hook, prepend=True)
        else:
            module.register_forward_hook(_observer_forward_hook, prepend=True)

    def _observer(self, qconfig: Any, special: Any = None) -> Any:
        made = (special or qconfig.activation)()
        if self.device is not None:
            made.to(self.device)
        return made


def _only_device(module: Any) -> Any:
    found = {x.device for x in (*module.parameters(), *module.buffers()) if x.device.type != "meta"}
    if len(found) > 1:
        raise AssertionError(f"only cpu or single-device CUDA modules are supported, but got devices {found}")
    return next(iter(found), None)


def add_quant_dequant(module: Any) -> Any:
    """Return the model with each leaf that has a configuration between a `QuantStub` and a `DeQuantStub`.

    Args:
      module: the model. Its submodules are replaced in place.
    """
    if has_no_children_ignoring_parametrizations(module) and getattr(module, "qconfig", None):
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


def prepare(
    model: Any,
    inplace: bool = False,
    allow_list: set | None = None,
    observer_non_leaf_module_list: Any = None,
    prepare_custom_config_dict: dict | None = None,
) -> Any:
    """Return the model with observers, for quantization after training.

    Args:
      model: the model. Its `qconfig`, or those of its submodules, say which observers.
      inplace: change `model` itself.
      allow_list: the classes of modules that get an observer.
      observer_non_leaf_module_list: classes with submodules that get one too.
      prepare_custom_config_dict: classes with observed classes of their own.
    """
    _warn()
    return _prepare(model, inplace, allow_list, observer_non_leaf_module_list, prepare_custom_config_dict)


def _prepare(model: Any, inplace: bool, kinds: Any = None, whole: Any = None, config: Any = None) -> Any:
    custom = (get_default_custom_config_dict() if config is None else config).get(
        "float_to_observed_custom_module_class", {}
    )
    model = model if inplace else copy.deepcopy(model)
    propagate_qconfig_(model)
    if not any(getattr(m, "qconfig", None) for m in model.modules()):
        warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration through "
            "`qconfig_dict` or by assigning the `.qconfig` attribute directly on submodules"
        )
    kinds = mappings.get_default_qconfig_propagation_list() if kinds is None else kinds
    _Watching(kinds, set(whole or ()), _only_device(model), custom).add(model)
    return model


def prepare_qat(model: Any, mapping: dict | None = None, inplace: bool = False) -> Any:
    """Return the model with layers of quantization-aware training, and with observers.

    Args:
      model: a model in training mode, with `qconfig`.
      mapping: the classes of quantization-aware training, by the classes that they replace.
      inplace: change `model` itself.

    Raises:
      AssertionError: the model is not in training mode.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.ao.quantization.QuantStub(), torch.nn.Linear(2, 1))
    >>> model.qconfig = torch.ao.quantization.get_default_qat_qconfig("onednn")
    >>> type(torch.ao.quantization.prepare_qat(model)[1])
    <class 'torchlike.ao.nn.qat.modules.linear.Linear'>
    """
    _warn()
    return _prepare_qat(model, mapping, inplace)


def _prepare_qat(model: Any, mapping: dict | None, inplace: bool) -> Any:
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    mapping = mappings.get_default_qat_module_mappings() if mapping is None else mapping
    model = model if inplace else copy.deepcopy(model)
    propagate_qconfig_(model)
    _replace(model, mapping, {}, False)
    return _prepare(model, True, whole=set(mapping.values()))


# -- conversion --------------------------------------------------------------------------------------------------------


def convert(
    module: Any,
    mapping: dict | None = None,
    inplace: bool = False,
    remove_qconfig: bool = True,
    is_reference: bool = False,
    convert_custom_config_dict: dict | None = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """Return the model with its layers replaced by quantized ones.

    Args:
      module: a model with observers that have seen data, or after quantization-aware training.
      mapping: the quantized classes, by the classes that they replace.
      inplace: change `module` itself.
      remove_qconfig: remove configurations and observers.
      is_reference: must be False.
      convert_custom_config_dict: observed classes with quantized classes of their own.
      use_precomputed_fake_quant: use the weights' scales of quantization-aware training as they are.

    Raises:
      NotImplementedError: `is_reference` is True, or a layer has no quantized class here.
    """
    _warn()
    if is_reference:
        raise arguments.unsupported("torch.ao.quantization.convert", "is_reference")
    return _converted(module, mapping, inplace, remove_qconfig, convert_custom_config_dict, use_precomputed_fake_quant)


def _converted(
    module: Any, mapping: Any, inplace: bool, clean: bool = True, config: Any = None, precomputed: bool = False
) -> Any:
    mapping = mappings.get_default_static_quant_module_mappings() if mapping is None else mapping
    config = get_default_custom_config_dict() if config is None else config
    module = module if inplace else copy.deepcopy(module)
    _replace(module, mapping, config.get("observed_to_quantized_custom_module_class", {}), precomputed)
    if clean:
        _remove_qconfig(module)
    return module


def _replace(module: Any, mapping: dict, custom: dict, precomputed: bool) -> None:
    made = {}
    for name, child in module.named_children():
        if not isinstance(child, _FusedModule) and type_before_parametrizations(child) not in custom:
            _replace(child, mapping, custom, precomputed)
        made[name] = swap_module(child, mapping, custom, precomputed)
    module._modules.update(made)


def swap_module(
    mod: Any, mapping: dict, custom_module_class_mapping: dict, use_precomputed_fake_quant: bool = False
) -> Any:
    """Return the quantized module of a module that has a configuration, or the module itself.

    Args:
      mod: the module.
      mapping: the quantized classes, by the classes that they replace.
      custom_module_class_mapping: observed classes with quantized classes of their own.
      use_precomputed_fake_quant: use the weight's scale as it is.
    """
    kind = type_before_parametrizations(mod)
    if not _has_config(mod) or (kind not in mapping and kind not in custom_module_class_mapping):
        return mod
    if kind in custom_module_class_mapping:
        made = custom_module_class_mapping[kind].from_observed(mod)
    else:
        make = mapping[kind].from_float
        takes = "use_precomputed_fake_quant" in inspect.signature(make).parameters
        made = make(mod, use_precomputed_fake_quant=use_precomputed_fake_quant) if takes else make(mod)
    return take_over(mod, made)


def take_over(mod: Any, made: Any) -> Any:
    """Return a module that replaces another one, with its hooks, on its device.

    Args:
      mod: the module that is replaced.
      made: the new module.
    """
    for hook in mod._forward_pre_hooks.values():
        made.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        if hook is not _observer_forward_hook:
            made.register_forward_hook(hook)
    device = _only_device(mod)
    return made if device is None else made.to(device)


def _remove_qconfig(module: Any) -> None:
    for child in module.children():
        _remove_qconfig(child)
    if hasattr(module, "qconfig"):
        del module.qconfig
    _remove_activation_post_process(module)


def _remove_activation_post_process(module: Any) -> None:
    if _is_activation_post_process(getattr(module, "activation_post_process", None)):
        delattr(module, "activation_post_process")
    for hooks, ours in (
        (module._forward_pre_hooks, _observer_forward_pre_hook),
        (module._forward_hooks, _observer_forward_hook),
    ):
        for key in [key for key, hook in hooks.items() if hook is ours]:
            hooks.pop(key)


# -- all in one --------------------------------------------------------------------------------------------------------


def default_eval_fn(model: Any, calib_data: Any) -> None:
    """Call a model on data, for calibration.

    Args:
      model: the model.
      calib_data: pairs of an input and a label, which is not used.
    """
    for data, _ in calib_data:
        model(data)


def quantize(model: Any, run_fn: Callable, run_args: Any, mapping: dict | None = None, inplace: bool = False) -> Any:
    """Return the model quantized after training: `prepare`, `run_fn(model, *run_args)`, `convert`.

    Args:
      model: the model, with `qconfig`.
      run_fn: runs the model on data, so that the observers see it.
      run_args: the other arguments of `run_fn`.
      mapping: the quantized classes, by the classes that they replace.
      inplace: change `model` itself.
    """
    _warn()
    model = model if inplace else copy.deepcopy(model)
    model.eval()
    _prepare(model, True)
    run_fn(model, *run_args)
    return _converted(model, mapping, True)


def quantize_qat(model: Any, run_fn: Callable, run_args: Any, inplace: bool = False) -> Any:
    """Return the model after quantization-aware training: `prepare_qat`, `run_fn(model, *run_args)`, `convert`.

    Args:
      model: the model, with `qconfig`.
      run_fn: trains the model.
      run_args: the other arguments of `run_fn`.
      inplace: change `model` itself.
    """
    _warn()
    model = model if inplace else copy.deepcopy(model)
    model.train()
    _prepare_qat(model, None, True)
    run_fn(model, *run_args)
    return _converted(model, None, True)


def quantize_dynamic(
    model: Any,
    qconfig_spec: Any = None,
    dtype: Any = torch.qint8,
    mapping: dict | None = None,
    inplace: bool = False,
) -> Any:
    """Return the model with int8 weights, whose activations are quantized at run time.

    Args:
      model: the model.
      qconfig_spec: a set of classes or names, or configurations by class or name; by default linear and recurrent
        layers.
      dtype: the dtype of the weights, `torch.qint8`.
      mapping: the quantized classes, by the classes that they replace.
      inplace: change `model` itself.

    Raises:
      NotImplementedError: the dtype or the class of a layer is not supported.
      ValueError, RuntimeError: the dtype is unknown.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    >>> torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    Sequential(
      (0): DynamicQuantizedLinear(in_features=2, out_features=1, dtype=torch.qint8, qscheme=torch.per_tensor_affine)
    )
    """
    _warn()
    if qconfig_spec is None:
        qconfig_spec = _default_spec(dtype)
    elif isinstance(qconfig_spec, set):
        if dtype not in _DYNAMIC:
            raise RuntimeError("Unknown dtype specified for quantize_dynamic: ", str(dtype))
        qconfig_spec = dict.fromkeys(qconfig_spec, _DYNAMIC[dtype])
    mapping = mappings.get_default_dynamic_quant_module_mappings() if mapping is None else mapping
    model = model if inplace else copy.deepcopy(model)
    model.eval()
    propagate_qconfig_(model, qconfig_spec)
    return _converted(model, mapping, True)


_DYNAMIC = {
    torch.qint8: configs.default_dynamic_qconfig,
    torch.float16: configs.float16_dynamic_qconfig,
    torch.quint8: configs.float_qparams_weight_only_qconfig,
    torch.quint4x2: configs.float_qparams_weight_only_qconfig_4bit,
}


def _default_spec(dtype: Any) -> dict[Any, Any]:
    if dtype in (torch.qint8, torch.float16):
        kinds: tuple[Any, ...] = (nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell)
    elif dtype is torch.quint8:
        kinds = (nn.EmbeddingBag, nn.Embedding)
    elif dtype is torch.quint4x2:
        kinds = (nn.EmbeddingBag,)
    else:
        raise ValueError(f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig please")
    return dict.fromkeys(kinds, _DYNAMIC[dtype])
