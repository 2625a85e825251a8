"""The module ``acl``, simulated."""
