"""What a remedy leaves behind: the ladder as text, the changed plan, the protected tables, all files."""
