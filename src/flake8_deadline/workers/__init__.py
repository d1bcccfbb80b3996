"""Who starts workers, and with which limits: the command line that a worker is started with, found and read as Celery reads it."""
