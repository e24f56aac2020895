"""Records: which records must be in the data? Published tables in, no list of people; certain records out."""
