(table . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(document (pair . [(bare_key) (quoted_key)] @name) @constant)
(comment) @leading
