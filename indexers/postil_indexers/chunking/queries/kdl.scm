(document (node . (identifier) @name) @constant)
(single_line_comment) @leading
