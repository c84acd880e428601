"""The verdict on a recall tier: committed values and limits, and what was measured."""
