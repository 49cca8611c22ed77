"""Programs for one device over a mesh of local devices: the placement of parameters, batches and inputs."""
