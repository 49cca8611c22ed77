"""The state of optimizers with an update rule: buckets of rows, packs of tensors, and steps that a device skips."""
