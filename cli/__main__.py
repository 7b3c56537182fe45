"""`python -m projector_cli` is `projector`."""

from .main import main

main()
