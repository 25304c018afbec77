(module_field_func identifier: (identifier) @name) @function
(module_field_global identifier: (identifier) @name) @constant
(comment_line) @leading
