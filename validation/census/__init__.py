"""The census attack at its real size: tables as the census of 2010 printed them, about blocks of people."""
