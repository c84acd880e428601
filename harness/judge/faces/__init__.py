"""The faces of a verdict: what was judged, for places other than a terminal."""
