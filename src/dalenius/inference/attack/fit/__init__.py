"""The prior with the stated agreements and biases: fitted couplings, and what they imply."""
