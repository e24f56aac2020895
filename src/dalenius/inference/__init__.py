"""What releases promise related people: nu beside epsilon, and beliefs before and after a release."""
