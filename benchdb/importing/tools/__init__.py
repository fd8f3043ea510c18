"""One module for each format that a benchmark tool writes itself."""
