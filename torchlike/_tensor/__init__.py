"""Tensors: storage, views, dispatch, and the exchange with other libraries."""
