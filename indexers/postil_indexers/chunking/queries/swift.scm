(class_declaration "struct" name: (type_identifier) @name) @struct
(class_declaration "enum" name: (type_identifier) @name) @enum
(class_declaration "extension" name: (_) @name) @impl
(class_declaration name: (type_identifier) @name) @class
(protocol_declaration name: (type_identifier) @name) @interface
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(typealias_declaration name: (type_identifier) @name) @type
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @constant)
(comment) @leading
(multiline_comment) @leading
(call_expression (simple_identifier) @reference)
(call_expression (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference)))
(user_type (type_identifier) @reference)
