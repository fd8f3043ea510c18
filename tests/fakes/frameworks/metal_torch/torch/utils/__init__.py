"""Only what is imported."""
