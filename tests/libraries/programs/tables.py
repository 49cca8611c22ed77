"""pytorch_tabnet: a classifier and a regressor fitted to a table."""

import numpy as np
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(128, 6)).astype("float32")
y = (X[:, 0] + X[:, 1] > 0).astype(int)
c = TabNetClassifier(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0)
c.fit(X, y, eval_set=[(X, y)], max_epochs=3, batch_size=64, virtual_batch_size=32)
print(
    [round(v, 4) for v in c.history["loss"]], c.predict(X)[:10].tolist(), np.round(c.feature_importances_, 3).tolist()
)
r = TabNetRegressor(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0, mask_type="entmax")
r.fit(X, X[:, :1], max_epochs=2, batch_size=64, virtual_batch_size=32)
print([round(v, 4) for v in r.history["loss"]])
