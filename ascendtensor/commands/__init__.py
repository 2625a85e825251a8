"""What `python -m ascendtensor` can do, a module for each command; `selfcheck` has a package of its own."""
