"""Optimizers, schedulers and data."""


def _scheduler(torch, name, *args, **kwargs):
    return getattr(torch.optim.lr_scheduler, name)(_sgd(torch), *args, **kwargs)


def _sgd(torch, **kwargs):
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], **{"lr": 0.1, **kwargs})


def _optimizer(torch, name, *args, **kwargs):
    return getattr(torch.optim, name)([torch.nn.Parameter(torch.ones(2))], *args, **kwargs)


def _loaded(torch, *args, **kwargs):
    return list(torch.utils.data.DataLoader(*args, **kwargs))


def closure_of_lbfgs(torch):
    torch.optim.LBFGS([torch.nn.Parameter(torch.ones(2))]).step()


def optimizer_state_of_other_groups(torch):
    optimizer = _sgd(torch)
    optimizer.load_state_dict({"state": {}, "param_groups": []})


def optimizer_state_of_other_sizes(torch):
    optimizer = _sgd(torch)
    state = optimizer.state_dict()
    state["param_groups"][0]["params"] = [0, 1]
    optimizer.load_state_dict(state)


def parameter_added_twice(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    torch.optim.SGD([parameter], lr=0.1).add_param_group({"params": [parameter]})


def dataset_without_length(torch):
    class Endless(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter([1])

    len(torch.utils.data.DataLoader(Endless()))


def sampler_of_an_iterable_dataset(torch):
    class Endless(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter([1])

    torch.utils.data.DataLoader(Endless(), shuffle=True)


ROWS = {
    # optimizers and schedulers
    "optimizer without parameters": lambda torch: torch.optim.SGD([], lr=0.1),
    "optimizer of a tensor": lambda torch: torch.optim.SGD(torch.ones(2), lr=0.1),
    "optimizer of numbers": lambda torch: torch.optim.SGD([1.0], lr=0.1),
    "optimizer of a set": lambda torch: torch.optim.SGD({torch.nn.Parameter(torch.ones(1))}, lr=0.1).add_param_group(
        {"params": {torch.nn.Parameter(torch.ones(1))}}
    ),
    "optimizer of a non-leaf": lambda torch: torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1),
    "optimizer group of a list": lambda torch: _sgd(torch).add_param_group([1]),
    "optimizer named in part": lambda torch: torch.optim.SGD(
        [("a", torch.nn.Parameter(torch.ones(1))), torch.nn.Parameter(torch.ones(1))], lr=0.1
    ),
    "SGD learning rate": lambda torch: _sgd(torch, lr=-1.0),
    "SGD momentum": lambda torch: _sgd(torch, momentum=-1.0),
    "SGD weight decay": lambda torch: _sgd(torch, weight_decay=-1.0),
    "SGD nesterov": lambda torch: _sgd(torch, nesterov=True),
    "Adam learning rate": lambda torch: _optimizer(torch, "Adam", lr=-1.0),
    "Adam beta": lambda torch: _optimizer(torch, "Adam", betas=(1.0, 0.9)),
    "Adam second beta": lambda torch: _optimizer(torch, "Adam", betas=(0.9, -1.0)),
    "Adam epsilon": lambda torch: _optimizer(torch, "Adam", eps=-1.0),
    "Adam foreach and fused": lambda torch: _optimizer(torch, "Adam", foreach=True, fused=True),
    "AdamW weight decay": lambda torch: _optimizer(torch, "AdamW", weight_decay=-1.0),
    "RMSprop alpha": lambda torch: _optimizer(torch, "RMSprop", alpha=-1.0),
    "Adagrad decay": lambda torch: _optimizer(torch, "Adagrad", lr_decay=-1.0),
    "Adadelta rho": lambda torch: _optimizer(torch, "Adadelta", rho=2.0),
    "Rprop etas": lambda torch: _optimizer(torch, "Rprop", etas=(2.0, 0.5)),
    "LBFGS groups": lambda torch: torch.optim.LBFGS(
        [{"params": [torch.nn.Parameter(torch.ones(1))]}, {"params": [torch.nn.Parameter(torch.ones(1))]}]
    ),
    "scheduler of no optimizer": lambda torch: torch.optim.lr_scheduler.StepLR(3, 1),
    "scheduler resumed": lambda torch: _scheduler(torch, "StepLR", 1, last_epoch=3),
    "LambdaLR functions": lambda torch: _scheduler(torch, "LambdaLR", [len, len]),
    "MultiplicativeLR functions": lambda torch: _scheduler(torch, "MultiplicativeLR", [len, len]),
    "ConstantLR factor": lambda torch: _scheduler(torch, "ConstantLR", factor=2.0),
    "LinearLR factor": lambda torch: _scheduler(torch, "LinearLR", start_factor=0.0),
    "ReduceLROnPlateau factor": lambda torch: _scheduler(torch, "ReduceLROnPlateau", factor=1.0),
    "ReduceLROnPlateau mode": lambda torch: _scheduler(torch, "ReduceLROnPlateau", mode="odd"),
    "ReduceLROnPlateau threshold": lambda torch: _scheduler(torch, "ReduceLROnPlateau", threshold_mode="odd"),
    "OneCycleLR steps": lambda torch: _scheduler(torch, "OneCycleLR", max_lr=1.0),
    "OneCycleLR total": lambda torch: _scheduler(torch, "OneCycleLR", max_lr=1.0, total_steps=-1),
    "OneCycleLR anneal": lambda torch: _scheduler(torch, "OneCycleLR", max_lr=1.0, total_steps=9, anneal_strategy="a"),
    "CyclicLR mode": lambda torch: _scheduler(torch, "CyclicLR", 0.1, 1.0, mode="odd"),
    "CosineAnnealingWarmRestarts": lambda torch: _scheduler(torch, "CosineAnnealingWarmRestarts", 0),
    "SequentialLR of none": lambda torch: torch.optim.lr_scheduler.SequentialLR(_sgd(torch), [], []),
    "SequentialLR milestones": lambda torch: torch.optim.lr_scheduler.SequentialLR(
        _sgd(torch), [_scheduler(torch, "StepLR", 1)], [1]
    ),
    "ChainedScheduler of none": lambda torch: torch.optim.lr_scheduler.ChainedScheduler([]),
    # data
    "DataLoader batch size": lambda torch: torch.utils.data.DataLoader([1], batch_size=0),
    "DataLoader shuffle and sampler": lambda torch: torch.utils.data.DataLoader([1], shuffle=True, sampler=[0]),
    "DataLoader batch_sampler and batch_size": lambda torch: torch.utils.data.DataLoader(
        [1], batch_size=2, batch_sampler=[[0]]
    ),
    "DataLoader drop_last without batches": lambda torch: torch.utils.data.DataLoader(
        [1], batch_size=None, drop_last=True
    ),
    "DataLoader workers": lambda torch: torch.utils.data.DataLoader([1], num_workers=-1),
    "DataLoader timeout": lambda torch: torch.utils.data.DataLoader([1], timeout=-1),
    "DataLoader prefetch": lambda torch: torch.utils.data.DataLoader([1], prefetch_factor=2),
    "DataLoader persistent": lambda torch: torch.utils.data.DataLoader([1], persistent_workers=True),
    "DataLoader attribute": lambda torch: setattr(torch.utils.data.DataLoader([1]), "batch_size", 2),
    "collate of unequal sizes": lambda torch: _loaded(torch, [torch.ones(2), torch.ones(3)], batch_size=2),
    "collate of objects": lambda torch: _loaded(torch, [len, len]),
    "collate of None": lambda torch: _loaded(torch, [None, None]),
    "collate of unequal lists": lambda torch: _loaded(torch, [[1, 2], [1]], batch_size=2),
    "collate of unequal dicts": lambda torch: _loaded(torch, [{"a": 1}, {"b": 1}], batch_size=2),
    "sampler out of range": lambda torch: _loaded(torch, [1, 2], sampler=[5]),
    "RandomSampler of nothing": lambda torch: torch.utils.data.RandomSampler([]),
    "RandomSampler number": lambda torch: torch.utils.data.RandomSampler([1], num_samples=0),
    "RandomSampler replacement": lambda torch: torch.utils.data.RandomSampler([1], replacement=3),
    "RandomSampler too many": lambda torch: list(torch.utils.data.RandomSampler([1], num_samples=-3)),
    "WeightedRandomSampler number": lambda torch: torch.utils.data.WeightedRandomSampler([1.0], 0),
    "WeightedRandomSampler weights": lambda torch: torch.utils.data.WeightedRandomSampler([[1.0]], 1),
    "BatchSampler size": lambda torch: torch.utils.data.BatchSampler([0], 0, False),
    "BatchSampler drop_last": lambda torch: torch.utils.data.BatchSampler([0], 1, 3),
    "TensorDataset sizes": lambda torch: torch.utils.data.TensorDataset(torch.ones(2), torch.ones(3)),
    "StackDataset sizes": lambda torch: torch.utils.data.StackDataset([1], [1, 2]),
    "StackDataset of none": lambda torch: torch.utils.data.StackDataset(),
    "ConcatDataset of none": lambda torch: torch.utils.data.ConcatDataset([]),
    "ConcatDataset index": lambda torch: torch.utils.data.ConcatDataset([[1]])[-5],
    "Dataset without items": lambda torch: torch.utils.data.Dataset()[0],
    "random_split sizes": lambda torch: torch.utils.data.random_split([1, 2, 3], [1, 1]),
    "random_split fractions": lambda torch: torch.utils.data.random_split([1, 2, 3], [0.5, 0.7]),
}
