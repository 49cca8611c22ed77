"""Statistics, logs and warnings about programs."""
