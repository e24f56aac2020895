"""What is in every data set that fits: propagation, programs with proofs, questions in whole numbers."""
