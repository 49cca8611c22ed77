"""Configurations, their kinds, and the vocabulary of torchao."""

import importlib

import pytest

from tests.oracle import both

pytestmark = pytest.mark.filterwarnings(
    "ignore:Please use quant_min", "ignore:Default qconfig of oneDNN", "ignore:torch.quantize"
)


def _shown(key):
    return key if isinstance(key, str) else key.__name__


def _config(found):
    return str(found).replace("torchlike", "torch")


@pytest.mark.parametrize("backend", ["x86", "qnnpack", "onednn", "fbgemm", "other"])
@pytest.mark.parametrize("kind", ["get_default_qconfig_mapping", "get_default_qat_qconfig_mapping"])
def test_default_mappings(backend, kind):
    def run(torch):
        made = getattr(torch.ao.quantization, kind)(backend)
        found = [(_shown(key), _config(config)) for key, config in made.object_type_qconfigs.items()]
        again = torch.ao.quantization.QConfigMapping.from_dict(made.to_dict())
        return found, _config(made.global_qconfig), repr(again) == repr(made)

    both(run)


def test_mappings():
    def run(torch):
        made = torch.ao.quantization.QConfigMapping().set_object_type(torch.nn.Linear, None)
        made.set_module_name_regex("a.*", None).set_module_name("b", None)
        made.set_module_name_object_type_order("a", torch.nn.Linear, 0, None)
        return _config(made), _config(made.to_dict())

    both(run)


QUESTIONS = [
    "activation_dtype",
    "weight_dtype",
    "get_qconfig_dtypes",
    "get_quant_type",
    "activation_is_statically_quantized",
    "activation_is_dynamically_quantized",
    "activation_is_int8_quantized",
    "activation_is_int32_quantized",
    "weight_is_quantized",
    "weight_is_statically_quantized",
    "op_is_int8_dynamically_quantized",
]
CONFIGS = [
    "default_qconfig",
    "default_dynamic_qconfig",
    "float16_dynamic_qconfig",
    "float16_static_qconfig",
    "default_qat_qconfig",
    "float_qparams_weight_only_qconfig",
    "float_qparams_weight_only_qconfig_4bit",
    "default_symmetric_qnnpack_qconfig",
    None,
]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_questions(question, config):
    def run(torch):
        ask = getattr(importlib.import_module(f"{torch.__name__}.ao.quantization.utils"), question)
        return str(ask(None if config is None else getattr(torch.ao.quantization, config))).replace(
            "torchlike", "torch"
        )

    both(run)


@pytest.mark.parametrize("name", ["quint8", "qint8", "qint32", "quint4x2", "int16", "float32", "float8_e5m2"])
def test_dtypes_of_integers(name):
    both(lambda torch: str(torch.ao.quantization.utils.to_underlying_dtype(getattr(torch, name))))


@pytest.mark.parametrize("shape", [(2, 8), (2, 3, 8)])
def test_block_sizes(shape):
    def run(torch):
        ob, found = torch.ao.quantization.observer, []
        kinds = ob.PerTensor(), ob.PerAxis(1), ob.PerAxis(-1), ob.PerGroup(4), ob.PerRow(), ob.PerToken()
        for granularity in (*kinds, ob.PerBlock((1, 2)), ob.Granularity(), 3):
            try:
                found.append((repr(granularity), ob.get_block_size(shape, granularity)))
            except (AssertionError, ValueError) as error:
                found.append(str(error))
        return found, ob.PerAxis(1) == ob.PerAxis(1), [kind.name for kind in ob.MappingType]

    both(run)


def test_an_observer_with_a_granularity():
    def run(torch):
        ob = torch.ao.quantization.observer

        class Observer(ob.AffineQuantizedObserverBase):
            def forward(self, input):
                return input

            def calculate_qparams(self):
                return None

        made = Observer.with_args(eps=0.5)(ob.MappingType.SYMMETRIC, torch.int8, ob.PerTensor(), 3, 9)
        names = ("quant_min", "quant_max", "eps", "preserve_zero", "block_size", "scale_dtype")
        return [getattr(made, name) for name in names], repr(made)

    both(run)
    both(lambda torch: torch.ao.quantization.observer.AffineQuantizedObserverBase(None, None, None))


KINDS = [
    "get_default_compare_output_module_list",
    "get_default_static_quant_module_mappings",
    "get_default_dynamic_quant_module_mappings",
    "get_default_qat_module_mappings",
    "get_embedding_qat_module_mappings",
    "get_embedding_static_quant_module_mappings",
    "get_default_float_to_quantized_operator_mappings",
    "get_default_static_sparse_quant_module_mappings",
    "get_default_dynamic_sparse_quant_module_mappings",
    "no_observer_set",
]


@pytest.mark.parametrize("kind", KINDS)
def test_classes(kind):
    def run(torch):
        found = getattr(torch.ao.quantization, kind)()
        if isinstance(found, dict) and "operator" not in kind:
            return sorted((key.__name__, value.__name__) for key, value in found.items())
        return sorted(key.__name__ for key in found)

    both(run)


def test_operators_of_functions():
    def run(torch):
        x = torch.quantize_per_tensor(torch.randn(4, 4), 0.1, 60, torch.quint8)
        return torch.ao.quantization.get_quantized_operator(torch.nn.functional.elu)(x, 0.1, 50).int_repr()

    both(run)
