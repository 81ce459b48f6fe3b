"""`python -m nanoctx`: the same as `nanoctx`."""

import sys

from nanoctx.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
