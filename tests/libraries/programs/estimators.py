"""skorch: a classifier in scikit-learn's clothes: fitted, in a grid search, saved."""

import pickle
import warnings

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring, LRScheduler
from torch import nn

warnings.filterwarnings("ignore")
torch.manual_seed(0)
x, y = make_classification(120, 8, n_informative=4, random_state=0)
x, y = x.astype(np.float32), y.astype(np.int64)


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 2), nn.Softmax(dim=-1))

    def forward(self, X):
        return self.layers(X)


net = NeuralNetClassifier(
    Net,
    max_epochs=4,
    lr=0.1,
    iterator_train__shuffle=True,
    verbose=0,
    callbacks=[LRScheduler("StepLR", step_size=2), EpochScoring("roc_auc", lower_is_better=False)],
)
net.fit(x, y)
print([f"{v:.4f}" for v in net.history[:, "train_loss"]], [f"{v:.4f}" for v in net.history[:, "valid_loss"]])
print(net.predict(x[:8]), f"{pickle.loads(pickle.dumps(net)).score(x, y):.3f}")
torch.manual_seed(0)
plain = NeuralNetClassifier(Net, max_epochs=2, train_split=None, verbose=0)
search = GridSearchCV(plain, {"lr": [0.05, 0.2], "module__width": [4, 8]}, cv=2, scoring="accuracy")
print(search.fit(x, y).best_params_)
