"""Readers that turn documents with tables into sheets, one module per notation."""
