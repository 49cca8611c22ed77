"""Communication hooks and module wrappers for distributed training."""
