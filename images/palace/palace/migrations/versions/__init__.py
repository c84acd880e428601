"""The versions of the schema, one module each."""
