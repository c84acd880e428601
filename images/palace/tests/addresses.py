"""Postgres URLs with another database's name in them.

A server that listens on a socket only has a folder in its URL's query, so the name is
not what follows the last slash.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def with_database(url: str, name: str) -> str:
    """Return *url* with the name of its database replaced."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def database_of(url: str) -> str:
    """Return the name of the database that *url* leads to."""
    return urlsplit(url).path.removeprefix("/")
