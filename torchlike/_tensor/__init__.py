"""Tensors: storage, views, dispatch, and exchange with other libraries."""
