"""Palace, the reference memory daemon: drawers over Postgres, spoken to by HTTP."""

__version__ = "0.1.0"

__all__ = ["__version__"]
