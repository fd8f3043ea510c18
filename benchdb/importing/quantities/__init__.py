"""What a cell says: figures with their units, in any locale and habit."""
