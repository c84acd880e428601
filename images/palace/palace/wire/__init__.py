"""The JSON that goes over the wire: what callers send, and what they get."""
