"""Interactive releases: questions are asked one after the other, and the budget is counted here."""
