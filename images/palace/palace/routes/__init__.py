"""The HTTP routes, one module a resource; each turns a request into one call."""
