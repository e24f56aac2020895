"""Tables as offices print them: from a sheet to a release, with what its numbers say and do not say."""
