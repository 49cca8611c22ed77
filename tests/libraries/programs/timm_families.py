"""timm: the smallest network of every family, without training"""

import timm
import torch
from timm.models import _registry as registry

SMALL = ("atto", "femto", "pico", "nano", "xx", "tiny", "mini", "xs", "050", "18", "small", "lite", "26", "s")
families: dict[str, list[str]] = {}
for name in timm.list_models():
    families.setdefault(registry._model_to_module[name], []).append(name)


def smallest(names):
    """Return the name that suggests the smallest network."""
    fit = next(filter(None, ([n for n in names if mark in n] for mark in SMALL)), names)
    return min(fit, key=len)


def built(name):
    """Return a network initialized from a fixed seed, and its image size, reduced if the constructor allows."""
    for given, size in ({"img_size": 64}, 64), ({}, None):
        torch.manual_seed(0)
        try:
            model = timm.create_model(name, num_classes=7, **given)
        except (TypeError, ValueError, AssertionError, RuntimeError):
            continue
        own = model.default_cfg["input_size"][-1]
        return model.eval(), size or (own if model.default_cfg.get("fixed_input_size") else 96)
    return None, 0


count = 0
for name in map(smallest, families.values()):
    model, size = built(name)
    if model is None or sum(p.numel() for p in model.parameters()) > 60_000_000:
        continue
    torch.manual_seed(1)
    try:
        with torch.no_grad():
            found = model(torch.randn(2, 3, size, size))
    except (TypeError, ValueError, AssertionError, RuntimeError):
        continue  # the network needs another image size
    found = found[0] if isinstance(found, tuple | list) else found
    print(name, tuple(found.shape), f"{found.abs().mean().item():.1e}")
    count += 1
print(count, "networks")
