"""Templates of statements with matrix decompositions, complex numbers and the functions of layers."""

from __future__ import annotations

from tests.fuzz_steps.program import listed

MATRICES = listed("""
N = torch.linalg.inv(A @ A.mT + 2 * torch.eye(A.shape[0]))

N = torch.linalg.solve(A @ A.mT + 2 * torch.eye(A.shape[0]), A)

N = torch.linalg.det(A @ A.mT + torch.eye(A.shape[0]))

N = torch.linalg.slogdet(A @ A.mT + torch.eye(A.shape[0]))[1]

N = torch.linalg.cholesky(A @ A.mT + torch.eye(A.shape[0]))

N = torch.linalg.svdvals(A)

N = torch.linalg.eigvalsh(A @ A.mT)

N = torch.linalg.matrix_norm(A)

N = torch.linalg.norm(A, 'nuc')

N = torch.linalg.qr(A)[1].abs()

N = torch.linalg.pinv(A)

N = torch.matrix_exp(A[..., :3, :3].clamp(-1, 1))

N = torch.linalg.matrix_power(A[..., :3, :3], 2)

N = torch.trace(A)

N = torch.linalg.solve_triangular((A @ A.mT).tril() + 2 * torch.eye(A.shape[0]), A, upper=False)

N = torch.linalg.lstsq(A.mT, A.mT[:, :1], driver='gelsd').solution

N = torch.linalg.multi_dot([A, A.mT, A])

N = torch.addmm(A, A, A[..., :4, :4])

N = torch.baddbmm(A[None], A[None], torch.eye(A.shape[-1])[None])

N = torch.cov(A)

N = torch.corrcoef(A + torch.arange(A.shape[-1]))

N = torch.linalg.vecdot(A, A)

N = torch.fft.rfft(A).abs()

N = torch.fft.ifft(A).imag

N = torch.view_as_real(torch.complex(A, A * 2))

N = torch.polar(A.abs(), A).real

N = (A + 1j * A.sin()).conj().angle()
""")

NETWORKS = listed("""
N = F.layer_norm(A, A.shape[-1:])

N = F.layer_norm(A, A.shape[-1:], A.flatten()[:A.shape[-1]], None)

N = F.rms_norm(A, A.shape[-1:])

N = F.group_norm(A[None], 1)[0] if A.ndim > 1 else A

N = F.batch_norm(A, None, None, training=True)

N = F.instance_norm(A[None])[0]

N = F.conv1d(A[None], A[:, None, :3], padding=1, groups=A.shape[0])[0]

N = F.conv1d(A.unsqueeze(1), torch.ones(2, 1, 3), stride=2)

N = F.conv2d(A[None, None], A[None, None, :2, :2])[0, 0]

N = F.conv_transpose1d(A.unsqueeze(1), torch.ones(1, 2, 3))

N = F.avg_pool1d(A[None], 2)[0]

N = F.max_pool1d(A[None], 2, stride=1)[0]

N = F.adaptive_avg_pool1d(A[None], 2)[0]

N = F.interpolate(A[None], scale_factor=2, mode='linear')[0]

N = F.interpolate(A[None], 3)[0]

N = F.glu(A)

N = F.scaled_dot_product_attention(A, A, A)

N = F.scaled_dot_product_attention(A[None], A[None], A[None], is_causal=True)[0]

N = F.kl_div(A.log_softmax(-1), A.softmax(-1), reduction='batchmean')

N = F.binary_cross_entropy_with_logits(A, (A > 0).to(A.dtype))

N = F.huber_loss(A, A.detach() * 2, delta=0.5)

N = F.prelu(A, A.mean())

N = F.unfold(A[None, None], 2)[0]

N = F.pixel_shuffle(A.reshape(1, 4, -1, 1), 2)

N = F.dropout(A, 0.0)

N = F.triplet_margin_loss(A, A * 2, A.flip(0))

N = F.pairwise_distance(A, A * 2)

N = F.local_response_norm(A[None], 2)[0]

N = F.lp_pool1d(A.abs()[None] + 0.1, 2, 2)[0]

N = F.hinge_embedding_loss(A, (A > 0) * 2.0 - 1)

N = F.poisson_nll_loss(A, A.abs().detach())

N = F.gaussian_nll_loss(A, A.detach() * 2, A.square() + 0.1)
""")
