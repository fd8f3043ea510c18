"""Bundles: results with a manifest of their digests and the contributor's signature."""
