"""From options to exchange lines: what every collector does, whatever its framework."""
