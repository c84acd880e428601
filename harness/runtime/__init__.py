"""How a daemon comes to be: started here, or already running at a URL."""
