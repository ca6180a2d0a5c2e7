"""What stands beside the form of a product: how buyers see it, its discounts to come, its history."""
