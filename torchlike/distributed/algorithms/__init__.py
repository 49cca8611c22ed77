"""What goes round modules that several processes train."""
