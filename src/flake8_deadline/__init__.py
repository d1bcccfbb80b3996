"""Find the code that swallows a background task's deadline, and mend it."""

__version__ = "0.1.0"
