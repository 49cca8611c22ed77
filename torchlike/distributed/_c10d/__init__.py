"""Parts of `torch.distributed`: messages, options of collectives, buckets and layouts of meshes."""
