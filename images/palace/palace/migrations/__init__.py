"""The schema's versions, and the one that this daemon needs.

`HEAD` is written here so that a start with nothing to do needs neither Alembic nor
SQLAlchemy, whose import costs more than the rest of the start; a test holds it to
what Alembic itself finds.
"""

HEAD = "0002"

__all__ = ["HEAD"]
