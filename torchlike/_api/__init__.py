"""The public names: where they come from, and how they are imported."""
