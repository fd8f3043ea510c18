"""The same work on the same machine again: campaign after campaign."""
