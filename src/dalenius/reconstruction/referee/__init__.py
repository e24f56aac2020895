"""The referee of secrets: opens the truth, counts who was guessed right, beside baselines and a control."""
