"""Files of called variants, site by site, and how they become packed files."""
