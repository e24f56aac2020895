"""What the attacker has besides the release, and the view: release and knowledge together.

Takes a release and public facts; gives the one object that an attack ever gets.
"""
