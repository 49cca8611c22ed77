"""The addresses at which launchers meet."""
