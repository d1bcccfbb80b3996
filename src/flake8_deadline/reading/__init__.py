"""Text to facts: one module per kind of file. Nothing here knows another file, an option or a verdict."""
