"""Libraries that are written for PyTorch, by the names under which they are imported, and whether they were tested."""

from __future__ import annotations

PAGE = "docs/libraries.md"
TESTED = """
accelerate botorch captum clip deepxde demucs denoising_diffusion_pytorch diffusers e3nn einops einx ema_pytorch
entmax fastai gluonts gpytorch higher ignite kornia laplace lightning lion_pytorch lpips mmengine monai neuralop
nflows normflows opacus open_clip peft piq pykeen pypose pyro pytorch_forecasting pytorch_lightning
pytorch_metric_learning pytorch_msssim pytorch_optimizer pytorch_tabnet safetensors sbi
segmentation_models_pytorch sentence_transformers skorch snntorch stable_baselines3 timm torch_dct torch_ema
torch_geometric torch_optimizer torchcrf torchdiffeq torchinfo torchmetrics torchsde torchvision transformers
ultralytics vector_quantize_pytorch vit_pytorch whisper x_transformers zuko
"""
UNTESTED = """
apex bitsandbytes causal_conv1d deepspeed detectron2 dgl fairscale fairseq flash_attn flashinfer fvcore liger_kernel
lightning_fabric mamba_ssm megatron mmcv pytorch3d pytorch_transformers ray tensordict torch_scatter torch_sparse
torch_xla torchao torchaudio torchdata torchio torchrec torchrl torchtext torchtune trl unsloth vllm xformers
"""
# Packages of PyTorch's own wheel, and what to use instead.
PARTS = {
    "functorch": "its transforms and functional modules; functorch.compile, dim and experimental are missing",
    "torchgen": "not part of torchlike",
    "triton": "not part of torchlike; its kernels run on PyTorch's tensors only",
}


def note(package: str) -> str:
    """Return a note about a package, or an empty string for one that has nothing to do with PyTorch."""
    if package in TESTED.split():
        return f"tested ({PAGE})"
    return PARTS.get(package) or ("not tested" if package in UNTESTED.split() else "")
