"""All that the harness knows of a daemon: its wire shapes and one HTTP client."""
