(contract_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(library_declaration name: (identifier) @name) @module
(struct_declaration name: (identifier) @name) @struct
(enum_declaration name: (identifier) @name) @enum
(event_definition name: (identifier) @name) @type
(error_declaration name: (identifier) @name) @type
(modifier_definition name: (identifier) @name) @method
(constructor_definition "constructor" @name) @method
(function_definition name: (identifier) @name) @function
(constant_variable_declaration name: (identifier) @name) @constant
((state_variable_declaration "constant" name: (identifier) @name) @constant)
(user_defined_type_definition name: (identifier) @name) @type
(comment) @leading
(call_expression function: (expression (identifier) @reference))
(call_expression function: (expression (member_expression property: (identifier) @reference)))
(user_defined_type (identifier) @reference)
(emit_statement name: (expression (identifier) @reference))
