"""What is asked of a chip, and of all: facts, and words for them."""
