"""The FSDP1 modules below a module. Libraries import this module."""
