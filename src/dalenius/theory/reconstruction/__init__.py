"""What theorems promise about recovering secrets: how many an attack must get right, and how many it may."""
