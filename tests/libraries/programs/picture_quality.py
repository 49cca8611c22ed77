"""piq, pytorch_msssim and lpips: sixteen measures of how alike pictures are."""

import lpips
import piq
import pytorch_msssim
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
a, b = torch.rand(2, 3, 192, 192).double(), torch.rand(2, 3, 192, 192).double()
b = 0.7 * a + 0.3 * b
b.requires_grad_()
v = pytorch_msssim.ms_ssim(a, b, data_range=1.0)
v.backward()
print(round(v.item(), 5), tuple(b.grad.shape))
for f in (
    piq.psnr,
    piq.ssim,
    piq.multi_scale_ssim,
    piq.vif_p,
    piq.fsim,
    piq.gmsd,
    piq.multi_scale_gmsd,
    piq.vsi,
    piq.mdsi,
    piq.haarpsi,
    piq.srsim,
    piq.dss,
    piq.information_weighted_ssim,
):
    o = f(a, b.detach(), data_range=1.0)
    o = o[0] if isinstance(o, tuple) else o
    print(f.__name__, round(o.item(), 4))
print(round(piq.total_variation(a).item(), 3))

m = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True, verbose=False)
v = m(a.float(), b.detach().float())
print(tuple(v.shape), round(v.sum().item(), 4))
