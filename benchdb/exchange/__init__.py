"""The exchange format: JSON Lines that collectors write and people share."""
