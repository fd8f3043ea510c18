"""Proposing a map for a document, with every assumption an entry of its own."""
