"""Tables with noise: nothing is certain, and data sets are drawn as probable as the numbers make them."""
