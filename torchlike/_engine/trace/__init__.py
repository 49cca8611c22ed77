"""Recording: values, plans, traces, and the flush that runs them."""
