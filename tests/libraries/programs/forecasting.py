"""pytorch_forecasting: a temporal fusion transformer trained on series in a data frame."""

import logging

import numpy as np
import pandas as pd
import torch
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.metrics import QuantileLoss

logging.disable(50)

torch.manual_seed(0)
df = pd.DataFrame([dict(t=t, g=str(g), v=np.sin(t / 5 + g)) for g in range(3) for t in range(60)])
ds = TimeSeriesDataSet(
    df,
    time_idx="t",
    target="v",
    group_ids=["g"],
    max_encoder_length=12,
    max_prediction_length=4,
    time_varying_unknown_reals=["v"],
    time_varying_known_reals=["t"],
    static_categoricals=["g"],
)
dl = ds.to_dataloader(train=False, batch_size=16)
m = TemporalFusionTransformer.from_dataset(ds, hidden_size=8, attention_head_size=2, dropout=0.0, loss=QuantileLoss())
opt = torch.optim.Adam(m.parameters(), 1e-2)
for i, (x, y) in enumerate(dl):
    if i == 3:
        break
    l = m.loss(m(x)["prediction"], y)
    opt.zero_grad()
    l.backward()
    opt.step()
    print(round(l.item(), 4))
