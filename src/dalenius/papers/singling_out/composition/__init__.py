"""Section 4's statements on composition: releases that are safe alone single people out together."""
