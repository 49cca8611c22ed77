"""transformers: every architecture that can be built small from its configuration alone: outputs and gradients"""

import torch
import transformers
from transformers import CONFIG_MAPPING, AutoModel, PretrainedConfig

transformers.logging.set_verbosity_error()
SMALL = {
    32: "hidden_size d_model n_embd dim embed_dim embedding_size hidden_dim image_size",
    2: "num_hidden_layers n_layer n_layers num_layers num_key_value_heads num_experts_per_tok top_k moe_top_k moe_k "
    "type_vocab_size bos_token_id",
    1: "encoder_layers decoder_layers num_encoder_layers num_decoder_layers n_group topk_group pad_token_id",
    4: "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads num_experts "
    "num_local_experts n_routed_experts",
    8: "head_dim d_kv patch_size rotary_dim",
    48: "intermediate_size d_ff ffn_dim encoder_ffn_dim decoder_ffn_dim n_inner",
    16: "moe_intermediate_size num_mel_bins expert_ffn_hidden_size",
    99: "vocab_size",
    64: "max_position_embeddings",
    3: "num_channels eos_token_id",
}
SIZES = {name: size for size, names in SMALL.items() for name in names.split()}
LARGEST = 30_000_000  # parameters
TIED = ("afmoe",)  # its router is all zeros, so all experts tie, and the libraries break ties differently


def remade(config, deep):
    """Return a new configuration with small sizes. If `deep`, the sizes of its parts are small too."""
    known = config.to_dict()
    given = {name: size for name, size in SIZES.items() if type(known.get(name)) is int}
    for name in getattr(type(config), "sub_configs", {}) if deep else ():
        if isinstance(part := getattr(config, name, None), PretrainedConfig):
            given[name] = remade(part, False).to_dict()
    return type(config)(**given)


def resized(config, deep):
    """Set small sizes on a configuration, one at a time."""
    for name, size in SIZES.items():
        if type(config.to_dict().get(name)) is int:
            setattr(config, name, size)
    for part in list(vars(config).values()) if deep else ():
        if isinstance(part, PretrainedConfig):
            resized(part, False)
    return config


def inputs(model, config):
    """Return random inputs for the model's main argument."""
    side = config.image_size if type(getattr(config, "image_size", None)) is int else 32
    kinds = {
        "input_ids": lambda: torch.randint(4, 90, (2, 12)),
        "pixel_values": lambda: torch.randn(1, 3, side, side),
        "input_values": lambda: torch.randn(1, 4000),
        "input_features": lambda: torch.randn(1, getattr(config, "num_mel_bins", 16), 100),
    }
    main = model.main_input_name
    given = {main: kinds.get(main, lambda: torch.randn(1, 8, 32))()}
    if config.is_encoder_decoder:
        given["decoder_input_ids"] = torch.randint(4, 90, (len(given[main]), 5))
    return given


def tried(kind, shrink):
    """Return the shape and size of an architecture's first output, and the size of its gradients."""
    config = shrink(CONFIG_MAPPING[kind](), True)
    with torch.device("meta"):
        if sum(p.numel() for p in AutoModel.from_config(config).parameters()) > LARGEST:
            return None
    torch.manual_seed(0)
    model = AutoModel.from_config(config).eval()
    torch.manual_seed(1)
    found = [v for v in model(**inputs(model, config)).values() if isinstance(v, torch.Tensor) and v.requires_grad]
    (found[0] * torch.randn(found[0].shape)).mean().backward()
    grads = sum(p.grad.double().abs().sum() for p in model.parameters() if p.grad is not None)
    size = found[0].abs().mean().item()
    return f"{tuple(found[0].shape)} {size if size > 1e-30 else 0:.1e} {float(grads):.1e}"  # XLA flushes denormals


count = 0
for kind in sorted({*CONFIG_MAPPING} - {*TIED}):
    for shrink in (resized, remade):
        try:
            made = tried(kind, shrink)
        except Exception:  # the small sizes are inconsistent, or the model needs more than its configuration
            continue
        if made:
            print(kind, made)
            count += 1
            break
print(count, "architectures")
