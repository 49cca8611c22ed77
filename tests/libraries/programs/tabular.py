"""fastai: a table's learner fitted in one cycle, its predictions, a residual network."""

import numpy as np
import pandas as pd
import torch
from fastai.tabular.all import (
    Categorify,
    CategoryBlock,
    FillMissing,
    Normalize,
    TabularDataLoaders,
    accuracy,
    set_seed,
    tabular_learner,
)
from fastai.vision.all import xresnet18

set_seed(0)
frame = pd.DataFrame({"a": np.random.randn(200), "b": np.random.choice(["x", "y", "z"], 200)})
frame["t"] = ((frame.a > 0) & (frame.b != "x")).astype(int)
loaders = TabularDataLoaders.from_df(
    frame,
    procs=[Categorify, FillMissing, Normalize],
    cat_names=["b"],
    cont_names=["a"],
    y_names="t",
    y_block=CategoryBlock(),
    bs=32,
    valid_idx=list(range(40)),
    num_workers=0,
)
learner = tabular_learner(loaders, layers=[16, 8], metrics=accuracy)
with learner.no_bar(), learner.no_logging():
    learner.fit_one_cycle(2, 1e-2)
print([round(float(v), 4) for v in learner.recorder.values[-1]])
with learner.no_bar():
    predicted, _ = learner.get_preds()
print(predicted.shape, round(predicted.sum().item(), 3))
network = xresnet18(n_out=4)
set_seed(1)
print(tuple(network(torch.rand(2, 3, 32, 32)).shape))
