(function_declaration name: (identifier) @name) @function
(ui_signal name: (identifier) @name) @constant
(ui_property name: (identifier) @name) @constant
(comment) @leading
(call_expression function: (identifier) @reference)
(ui_object_definition type_name: (identifier) @reference)
