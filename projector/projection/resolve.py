"""resolve(): a requested schema and a file's schema, compiled into a plan. Pure: no I/O, no arrays, no engine."""
