"""torchvision: features taken from inside networks, which torch.fx follows."""

import torch
import torchvision
from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names

torch.manual_seed(0)
m = torchvision.models.resnet18(weights=None).eval()
print(get_graph_node_names(m)[0][:12], len(get_graph_node_names(m)[0]))
f = create_feature_extractor(m, {"layer1.0.relu": "a", "layer4": "b", "flatten": "c"})
o = f(torch.rand(1, 3, 64, 64))
print({k: (tuple(v.shape), round(v.double().sum().item(), 3)) for k, v in o.items()})
m = torchvision.models.mobilenet_v3_small(weights=None).eval()
f = create_feature_extractor(m, ["features.3", "avgpool"])
print({k: tuple(v.shape) for k, v in f(torch.rand(1, 3, 64, 64)).items()})
m = torchvision.models.swin_t(weights=None).eval()
f = create_feature_extractor(m, ["features.1.1.add"])
print({k: tuple(v.shape) for k, v in f(torch.rand(1, 3, 64, 64)).items()})
m = torchvision.models.vit_b_16(weights=None).eval()
print(len(get_graph_node_names(m)[0]))
