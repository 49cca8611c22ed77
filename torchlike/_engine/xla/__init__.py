"""Programs that XLA compiles."""
