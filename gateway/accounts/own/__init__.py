"""What a customer does with the own account."""
