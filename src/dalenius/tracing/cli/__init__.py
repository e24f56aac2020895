"""``dalenius trace``: the commands, their options and what they say of themselves."""
