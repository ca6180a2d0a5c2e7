"""What operators and the night do: repairs, hints of absent nodes, and the locks for one at a time."""
