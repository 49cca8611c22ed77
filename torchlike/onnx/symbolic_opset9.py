"""What an exporter writes for operators in version 9 of its format: nothing, there is no exporter."""
