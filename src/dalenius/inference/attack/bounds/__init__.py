"""Upper bounds of nu where the network is too wide to be exact."""
