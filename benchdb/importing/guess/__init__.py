"""Proposing a map for a document, with every assumption marked."""
