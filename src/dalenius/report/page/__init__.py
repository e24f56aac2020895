"""The page one can send: takes a report, gives HTML, Markdown and the annex for the file.

A page is sections of blocks (`blocks`): sentences, lists, tables, pictures, fields to fill in. What is said
is decided once, section by section; `render` writes the same blocks as HTML and as Markdown, and the annex is
also written as a Word file. Nothing but the report enters, so nobody can be in it.
"""
