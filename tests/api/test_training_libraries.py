"""Names that accelerate, Lightning and transformers use to set up a training, compared in both libraries."""

import functools
import importlib

import pytest

import torchlike
from tests.oracle import both


def module(L, name):
    return importlib.import_module(f"{L.__name__}.{name}")


def policies(L):
    nn, wrap = L.nn, module(L, "distributed.fsdp.wrap")
    return {
        "none": None,
        "classes": wrap.ModuleWrapPolicy({nn.Linear}),
        "transformer": functools.partial(wrap.transformer_auto_wrap_policy, transformer_layer_cls={nn.Sequential}),
        "size": functools.partial(wrap.size_based_auto_wrap_policy, min_num_params=7),
        "custom": wrap.CustomPolicy(lambda m: isinstance(m, nn.Tanh)),
        "all": wrap.always_wrap_policy,
        "wrong": 3,
    }


@pytest.mark.parametrize("name", policies(torchlike))
def test_a_policy_chooses_the_checkpointed_modules(name):
    def run(L):
        nn, wrapper = L.nn, module(L, "distributed.algorithms._checkpoint.checkpoint_wrapper")
        net = nn.Sequential(
            nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.ModuleList([nn.Linear(3, 1)])
        )
        chosen = {"check_fn": lambda m: isinstance(m, nn.Tanh)} if name == "none" else {}
        wrapper.apply_activation_checkpointing(net, auto_wrap_policy=policies(L)[name], **chosen)
        return str(net), list(net.state_dict())

    both(run)


def test_the_names_of_data_pipes():
    def run(L):
        pipes, data = module(L, "utils.data.datapipes.iter.combinatorics"), L.utils.data
        dataset = data.TensorDataset(L.arange(3))
        return isinstance(dataset, pipes.ShufflerIterDataPipe), isinstance(dataset, pipes.SamplerIterDataPipe)

    both(run)


def test_the_c_module_of_process_groups():
    def run(L):
        names = module(L, "_C._distributed_c10d")
        assert names is L._C._distributed_c10d
        assert names.ReduceOp is L.distributed.ReduceOp or L is not torchlike
        return names.Reducer.__name__, names.Store.__name__, hasattr(L._C, "no name")

    both(run)
