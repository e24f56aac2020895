"""Files that say who is related: people, links, households, descent, column by column."""
