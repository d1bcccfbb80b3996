"""Readers of the files that start workers: text to Launches, a module for each kind of file."""
