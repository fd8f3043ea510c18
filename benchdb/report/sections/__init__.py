"""The sections that compare, each computed from measurements: no words, no marks."""
