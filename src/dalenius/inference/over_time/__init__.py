"""A person's values over time: what is handed over, what comes of it, and how it is said."""
