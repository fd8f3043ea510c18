"""Batch size: what a larger batch changes, on each system."""
