"""Repeated work in independent blocks, whose results outlive a process that is killed."""
