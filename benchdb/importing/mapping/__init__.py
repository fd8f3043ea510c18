"""Reading a document by a map that says what its columns and headings mean."""
