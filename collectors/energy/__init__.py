"""Energy meters, one a module, and what their readings amount to."""
