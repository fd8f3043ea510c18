"""Reports: stored runs to a frozen view, the view to HTML and Markdown."""
