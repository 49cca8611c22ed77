"""What an exporter writes for operators in version 12 of its format: nothing, there is no exporter."""
