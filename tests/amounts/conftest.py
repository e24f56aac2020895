"""Commands of amounts write what the published schema says."""

from helpers.published_schema import every_report_fits_the_schema, schema  # noqa: F401 - fixtures
