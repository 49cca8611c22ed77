"""What programs started by a launcher use."""
