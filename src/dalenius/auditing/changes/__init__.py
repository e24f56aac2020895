"""What a remedy asks of a family: which changes of its releases could be tried, each as a whole plan."""
