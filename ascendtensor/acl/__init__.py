"""The one place where pyACL is called: its typed shape, the choice of module, and one function per call."""
