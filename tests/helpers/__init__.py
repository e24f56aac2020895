"""What tests of several rooms share; fixtures stand in the nearest conftest.py instead."""
