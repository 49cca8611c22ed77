"""Programs that several processes run together, each on its own device, with collectives between them."""
