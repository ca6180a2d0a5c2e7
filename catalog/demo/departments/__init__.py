"""What the demo shop sells, one module per department."""
