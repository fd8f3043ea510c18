"""Reproducible machine-learning benchmark results across machines."""

__version__ = "0.1.0"
