"""The orders of schedules of pipelines, the division into microbatches, and traced pipes, in one process."""

import importlib
import warnings

import pytest

from tests.oracle import both


def classes(torch):
    return importlib.import_module(f"{torch.__name__}.distributed.pipelining.schedules")


class Stage:
    """What a schedule reads of a stage while it computes its order."""

    def __init__(self, torch, index, stages, ranks):
        self.stage_index, self.num_stages, self.group_size, self.group_rank = index, stages, ranks, 0
        self.is_first, self.is_last, self.submod = index == 0, index == stages - 1, torch.nn.Identity()


@pytest.mark.parametrize("local", [1, 2, 3])
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize(
    "name", ["InterleavedZeroBubble", "Interleaved1F1B", "LoopedBFS", "ZBVZeroBubble", "DualPipeV"]
)
def test_orders(name, ranks, local):
    def orders(torch, count):
        kind = classes(torch).get_schedule_class(name)
        made = kind([Stage(torch, i * ranks, ranks * local, ranks) for i in range(local)], count)
        return str(made.pipeline_order), made.stage_index_to_group_rank

    for count in range(1, 9):
        both(lambda torch, count=count: orders(torch, count))


@pytest.mark.parametrize(
    "rows",
    [
        ("0F0,1B0", "1F0"),
        ("0F0,0B0", "1F0,1I0"),
        ("0F0,0B0",),
        ("0F0,0B0", "0F0"),
        ("0B0", ""),
        ("0W0", ""),
        ("0F0", "1F0"),
        ("0F0,0I0,0W0", "1F0,(1B0;1F0)OVERLAP_F_B"),
        ("0F0,9Q", "1F0"),
    ],
)
def test_orders_that_are_given(rows):
    def checked(torch):
        module = classes(torch)
        actions = {i: [module._Action.from_str(word) for word in row.split(",")] for i, row in enumerate(rows)}
        schedule = module.PipelineScheduleMulti([Stage(torch, 0, 2, 2)], 1)
        schedule._validate_and_set_stage_mapping(actions)
        return str(actions), schedule.stage_index_to_group_rank

    both(checked)


def test_the_table_of_an_order():
    def table(torch):
        module = classes(torch)
        schedule = module.ScheduleDualPipeV([Stage(torch, i, 4, 2) for i in (0, 3)], 4)
        return module._format_pipeline_order(schedule.pipeline_order, 3)

    both(table)


def chunks(torch):
    return importlib.import_module(f"{torch.__name__}.distributed.pipelining.microbatch")


DIVISIONS = {
    "nested": lambda m, a: m.split_args_kwargs_into_chunks((a, 3, [a, {"k": a}]), {"m": a}, 3),
    "few specs": lambda m, a: m.split_args_kwargs_into_chunks((a, 3), {}, 4, m.TensorChunkSpec.from_tuple((1, 0))),
    "specs": lambda m, a: m.split_args_kwargs_into_chunks(
        (a,), {"m": a}, 2, m.TensorChunkSpec.from_tuple((1,)), m.TensorChunkSpec.from_dict({"m": 0})
    ),
    "small": lambda m, a: m.split_args_kwargs_into_chunks((a,), {"m": a}, 7),
    "fewer": lambda m, a: m.split_args_kwargs_into_chunks((a,), {"m": a[:2]}, 4),
    "none": lambda m, a: m.split_args_kwargs_into_chunks((), None, 2),
    "merged": lambda m, a: m.merge_chunks([(a, a[:1]), (a, a)], None),
    "merged by specs": lambda m, a: m.merge_chunks([(a, 1), (a, 1)], (m.TensorChunkSpec(1), 1)),
    "merged by a sum": lambda m, a: m.merge_chunks([(a, a.sum())] * 2, (m.TensorChunkSpec(1), m.sum_reducer)),
    "unequal": lambda m, a: m.merge_chunks([(a, 1), (a, 2)], (m.TensorChunkSpec(1), 1)),
    "other structure": lambda m, a: m.merge_chunks([(a, a), (a,)], None),
    "text": lambda m, a: str(m.TensorChunkSpec(2)),
}


@pytest.mark.parametrize("name", DIVISIONS)
def test_microbatches(name):
    both(lambda torch: DIVISIONS[name](chunks(torch), torch.arange(12.0).view(6, 2)))


def test_parts_of_a_leaf_keep_their_gradients():
    def parts(torch):
        x = torch.ones(4, requires_grad=True)
        found = chunks(torch)._split_tensor(x, chunks(torch).TensorChunkSpec(0), 3)
        (found[0].sum() + found[1].sum() * 2).backward()
        return [part.grad for part in found], x.grad

    both(parts)


def test_block_masks_are_divided():
    def masks(torch):
        flex = importlib.import_module(f"{torch.__name__}.nn.attention.flex_attention")
        mask = flex.create_block_mask(lambda b, h, q, k: q >= k * b, 4, 1, 256, 256, device="cpu")
        found = chunks(torch).split_args_kwargs_into_chunks((torch.ones(4),), {"m": mask}, 2)[1]
        one = torch.tensor(1)
        return [(m.shape, m.kv_num_blocks, m.kv_indices, m.mask_mod(one, 0, 1, 2)) for m in (x["m"] for x in found)]

    both(masks)


def test_a_traced_pipe():
    def pipe(torch):
        pipelining = importlib.import_module(f"{torch.__name__}.distributed.pipelining")

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
                self.shared = torch.nn.Parameter(torch.ones(4))

            def forward(self, x, scale=2.0):
                h = torch.relu(self.first(x)) * self.shared
                pipelining.pipe_split()
                return {"a": self.second(h * self.shared) * scale, "b": h}

        model = Model()
        x = torch.ones(2, 3)
        with warnings.catch_warnings():  # PyTorch uses names that it has deprecated
            warnings.simplefilter("ignore", FutureWarning)
            made = pipelining.pipeline(model, (x,))
        stages = [made.get_stage_module(i) for i in range(made.num_stages)]
        names = [sorted(name for name, _ in stage.named_parameters()) for stage in stages]
        pairs = [(stage, name) for stage, found in zip(stages, names) for name in found]
        shares = [stage.get_parameter(name) is model.get_parameter(name) for stage, name in pairs]
        return names, shares, made.replicated_params, made.info().num_stages, made(x), made(x=x)

    both(pipe)
