"""What an exporter writes for operators in version 11 of its format: nothing, there is no exporter."""
