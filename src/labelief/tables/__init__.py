"""Tables as people keep them: files in and out, kinds of columns, numbers for a classifier.

Needs the extra ``app`` (pandas and pyarrow).  What a file says is never executed: CSV and JSON
lines are text, Parquet and Feather are columns of plain values.
"""

from labelief.tables.columns import ColumnKind, recognise
from labelief.tables.files import TableError, read_pieces, read_table, write_table
from labelief.tables.preprocessing import TablePreprocessor

__all__ = [
    "ColumnKind",
    "TableError",
    "TablePreprocessor",
    "read_pieces",
    "read_table",
    "recognise",
    "write_table",
]
