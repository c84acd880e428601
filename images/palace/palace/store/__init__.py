"""Postgres: connections, schema and every statement the daemon sends."""
