"""Tables about records as offices print them: from sheets to columns, cells and what each cell says."""
