"""The command line: one module a verb, installed as `projector_cli`."""
