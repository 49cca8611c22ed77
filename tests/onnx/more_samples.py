"""More calls of operators for the tests of the translations."""

from __future__ import annotations

import torchlike as torch
from tests.onnx.samples import SAMPLES as SAMPLES
from tests.onnx.samples import add, cube, normal, picture, positive, two
from torchlike.nn import functional as F

edges = torch.tensor([0.0, -0.0, 1.0, float("nan"), float("inf"), -float("inf")])
pair = lambda n: (normal(n, 3), normal(n, 3))

add("atan2", torch.atan2, pair)
add("atan2 on the axes", lambda a, b: torch.atan2(a.abs() * edges[[0, 2, 2]], b * edges[[2, 0, 2]]), pair)
for _name in ("hypot", "logaddexp", "fmax", "fmin"):
    add(_name, getattr(torch, _name), two)
add("fmax with NaN", lambda a: torch.fmax(a, edges) + torch.fmin(edges, a), lambda n: (normal(n, 6),))
add("xlogy", torch.xlogy, lambda n: (normal(n, 3), positive(3)))
add("xlogy of zero", lambda a: torch.xlogy(edges[:2].repeat(3), a), lambda n: (positive(n, 6),))
add("logit", lambda a: torch.logit(a, 0.2) + torch.logit(a), lambda n: (positive(n, 3) * 0.9,))
add("sinc", lambda a: torch.sinc(torch.relu(a)), lambda n: (normal(n, 3),))
add("nan_to_num", lambda a: torch.nan_to_num(a * 0 + edges, 3.0, neginf=-2.0), lambda n: (normal(n, 6),))
add(
    "isclose",
    lambda a: torch.isclose(a * 0 + edges, edges, equal_nan=True) & torch.isclose(a, a + 1e-9),
    lambda n: (normal(n, 6),),
)
for _reduction in ("mean", "sum", "none"):
    for _name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        add(f"{_name}, {_reduction}", lambda a, b, f=getattr(F, _name), r=_reduction: f(a, b, reduction=r), pair)

add("bilinear", F.bilinear, lambda n: (normal(n, 3), normal(n, 4), normal(5, 3, 4)))
add("inner", torch.inner, lambda n: (normal(n, 4, 3), normal(5, 3)))
add("tensordot", lambda a, b: torch.tensordot(a, b, ([1, 2], [1, 0])), lambda n: (normal(n, 4, 3), normal(3, 4, 5)))
add("vdot", torch.vdot, lambda n: (normal(n), normal(n)))
add("vecdot", lambda a, b: torch.linalg.vecdot(a, b, dim=1), lambda n: (normal(n, 4, 3), normal(n, 4, 3)))
add("addr", lambda a, b, c: torch.addr(c, a, b, beta=2), lambda n: (normal(n), normal(3), normal(3)))
add("addbmm", lambda a, b, c: torch.addbmm(c, a, b, alpha=2), lambda n: (normal(n, 4, 3), normal(n, 3, 5), normal(5)))
add("trace", torch.trace, lambda n: (normal(4, 4),))
add("det", torch.linalg.det, lambda n: (normal(n, 3, 3),))

for _mode in ("bilinear", "nearest", "bicubic"):
    add(
        f"grid_sample, {_mode}",
        lambda x, g, m=_mode: F.grid_sample(x, g, m, align_corners=False),
        lambda n: (*picture(n), normal(n, 3, 5, 2) * 0.6),
    )
add(
    "grid_sample of the border",
    lambda x, g: F.grid_sample(x, g, padding_mode="border", align_corners=True),
    lambda n: (*picture(n), normal(n, 3, 5, 2)),
)
add("affine_grid", lambda t: F.affine_grid(t, (t.shape[0], 2, 3, 5), align_corners=False), lambda n: (normal(n, 2, 3),))
add("fold", lambda x: F.fold(x, (5, 6), 2, stride=2, padding=1), lambda n: (normal(n, 8, 12),))
add("windows of pictures", lambda x: F.unfold(x, (2, 3), dilation=2, padding=1, stride=2), picture)
add("windows", lambda x: x.unfold(1, 2, 1) + x.unfold(1, 2, 2)[:, :1], cube)
add("diagonal", lambda x: x.diagonal(1, 1, 2).sum(1) + x.diagonal(-2, 2, 1).sum(1), lambda n: (normal(3, 4, 6),))
add("channel_shuffle", lambda x: F.channel_shuffle(x, 2), picture)
add("cosine_similarity", lambda a, b: F.cosine_similarity(a, b), pair)
add("pairwise_distance", lambda a, b: F.pairwise_distance(a, b) + F.pairwise_distance(a, b, p=1.0), pair)
add("cdist", lambda a, b: torch.cdist(a, b) + torch.cdist(a, b, p=1.0), lambda n: (normal(n, 4, 3), normal(n, 5, 3)))
add("cdist of the largest", lambda a, b: torch.cdist(a, b, p=float("inf")), lambda n: (normal(4, 3), normal(5, 3)))
