"""The attack: from what tables print about groups to ends and an estimate of everybody's amount."""
