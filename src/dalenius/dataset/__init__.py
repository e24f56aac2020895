"""The people, sealed.

Takes files, frames and SQL tables; gives sizes, public columns as codes and counts made inside the
engine (DuckDB by default). Secrets leave only through ``truth``, which only the publisher and the
referee may import. The only room that knows Ibis and DuckDB.
"""
