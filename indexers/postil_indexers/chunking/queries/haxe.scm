(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(typedef_declaration name: (_) @name) @type
(function_declaration name: (_) @name) @function
(comment) @leading
(call_expression object: (identifier) @reference)
(type_name) @reference
