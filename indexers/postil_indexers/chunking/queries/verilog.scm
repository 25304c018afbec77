(module_declaration (module_header (simple_identifier) @name)) @module
(interface_declaration (interface_ansi_header (interface_identifier) @name)) @interface
(package_declaration (package_identifier) @name) @module
(class_declaration . (class_identifier) @name) @class
(program_declaration (program_ansi_header (program_identifier) @name)) @module
(function_declaration (function_body_declaration (function_identifier) @name)) @function
(task_declaration (task_body_declaration (task_identifier) @name)) @function
(class_constructor_declaration "new" @name) @method
(type_declaration (simple_identifier) @name .) @type
(text_macro_definition (text_macro_name (text_macro_identifier) @name)) @macro
(comment) @leading
(module_instantiation . (simple_identifier) @reference)
(checker_instantiation (checker_identifier) @reference)
(tf_call (simple_identifier) @reference)
(package_import_item (package_identifier) @reference)
