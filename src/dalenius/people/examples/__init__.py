"""People to try things on: a survey, a census and families of people who never were."""
