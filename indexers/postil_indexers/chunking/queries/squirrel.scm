(class_declaration . (identifier) @name) @class
(function_declaration (identifier) @name) @function
(enum_declaration . (identifier) @name) @enum
(const_declaration . (identifier) @name) @constant
(comment) @leading
(call_expression function: (identifier) @reference)
