"""A task's budgets: what its source gives it, what the project and the workers add, and which of these counts. In seconds, with evidence."""
