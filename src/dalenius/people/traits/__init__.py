"""Attributes of people that are averaged, packed at two bits each: what tracing is about."""
