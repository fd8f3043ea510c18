"""What benchdb costs, beside yardsticks that are measured in the same run."""
