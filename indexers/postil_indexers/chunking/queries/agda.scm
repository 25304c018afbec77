(data (data_name) @name) @type
(record (record_name) @name) @struct
(function (lhs . (function_name) @name)) @clause
(source_file (module (module_name) @name) @module)
(comment) @leading
