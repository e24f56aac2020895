"""From files to people in groups, from printed tables of amounts to a release, and the attack on them."""
