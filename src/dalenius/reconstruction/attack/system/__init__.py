"""From any release to one linear system about the secrets, with what is known about its errors."""
