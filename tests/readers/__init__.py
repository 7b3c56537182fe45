"""Other readers of Iceberg tables, each a program run by the Python of its own environment (see `environments`)."""
