"""Run the command line with ``python -m benchdb``."""

from benchdb.cli import main

if __name__ == "__main__":
    main()
