"""From files to people in groups, and from printed tables of amounts to a release."""
