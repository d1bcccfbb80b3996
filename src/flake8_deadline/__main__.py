"""`python -m flake8_deadline` is the command `flake8-deadline`."""

from __future__ import annotations

import sys

from flake8_deadline.cli import main

sys.exit(main())
