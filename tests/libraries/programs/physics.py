"""deepxde: a differential equation solved by a network, by Adam and by L-BFGS."""

import deepxde as dde
import numpy as np
import torch

dde.config.set_random_seed(0)
dde.config.set_default_float("float64")
geom = dde.geometry.Interval(-1, 1)
pde = lambda x, y: -dde.grad.hessian(y, x) - np.pi**2 * torch.sin(np.pi * x)
bc = dde.icbc.DirichletBC(geom, lambda x: 0, lambda _, on: on)
data = dde.data.PDE(geom, pde, bc, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20)
m = dde.Model(data, dde.nn.FNN([1] + [20] * 2 + [1], "tanh", "Glorot uniform"))
m.compile("adam", lr=0.001, metrics=["l2 relative error"], verbose=0)
h, s = m.train(iterations=30, display_every=10, verbose=0)
print([[round(float(v), 5) for v in l] for l in h.loss_train])
m.compile("L-BFGS", verbose=0)
dde.optimizers.set_LBFGS_options(maxiter=20)
h, s = m.train(verbose=0)
print(round(float(sum(h.loss_train[-1])), 3))
