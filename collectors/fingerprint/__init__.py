"""What machine this is and the state it is in, from its own commands and files."""
