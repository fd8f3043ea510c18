"""A collection of results in a git repository: made, checked, and built into a site."""
