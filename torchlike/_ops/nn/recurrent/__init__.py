"""The passes of recurrent layers: forward and backward, for NumPy and for JAX."""
