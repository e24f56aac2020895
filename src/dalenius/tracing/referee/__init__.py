"""The referee of tracing: deals who is judged when, and counts who is accused."""
