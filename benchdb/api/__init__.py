"""What ``import benchdb`` offers: results as pandas data frames."""
