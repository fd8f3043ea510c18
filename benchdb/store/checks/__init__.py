"""What ``db check`` looks at."""
