"""captum: sixteen attributions of a small network, by gradients, by hooks, by perturbation."""

import numpy
import torch
import torch.nn as nn
from captum.attr import (
    Deconvolution,
    DeepLift,
    FeatureAblation,
    GradientShap,
    GuidedBackprop,
    IntegratedGradients,
    KernelShap,
    LayerActivation,
    LayerConductance,
    LayerGradCam,
    LayerIntegratedGradients,
    NeuronConductance,
    NoiseTunnel,
    Occlusion,
    Saliency,
    ShapleyValueSampling,
)

numpy.random.seed(0)

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10))
net.eval()
x = torch.rand(2, 1, 8, 8, requires_grad=True)
show = lambda n, t: print(n, [round(v, 4) for v in t.flatten()[:6].tolist()], round(t.double().sum().item(), 4))
show("ig", IntegratedGradients(net).attribute(x, target=3, n_steps=20))
show("sal", Saliency(net).attribute(x, target=3))
show("dl", DeepLift(net).attribute(x, torch.zeros_like(x), target=3))
show("gs", GradientShap(net).attribute(x, torch.zeros_like(x), target=3, n_samples=4))
show("gbp", GuidedBackprop(net).attribute(x, target=3))
show("dc", Deconvolution(net).attribute(x, target=3))
show("occ", Occlusion(net).attribute(x, sliding_window_shapes=(1, 3, 3), target=3))
show("fa", FeatureAblation(net).attribute(x, target=3))
show(
    "sv",
    ShapleyValueSampling(net).attribute(
        x, target=3, n_samples=2, feature_mask=torch.arange(64).reshape(1, 1, 8, 8) // 16
    ),
)
show("lgc", LayerGradCam(net, net[0]).attribute(x, target=3))
show("lc", LayerConductance(net, net[0]).attribute(x, target=3, n_steps=10))
show("lig", LayerIntegratedGradients(net, net[0]).attribute(x, target=3, n_steps=10))
show("la", LayerActivation(net, net[1]).attribute(x))
show("nc", NeuronConductance(net, net[0]).attribute(x, (1, 2, 3), target=3, n_steps=10))
show("nt", NoiseTunnel(Saliency(net)).attribute(x, target=3, nt_samples=3, stdevs=0.1))
show(
    "ks",
    KernelShap(net).attribute(x[:1], target=3, n_samples=20, feature_mask=torch.arange(64).reshape(1, 1, 8, 8) // 16),
)
