"""What staff do with the accounts of customers."""
