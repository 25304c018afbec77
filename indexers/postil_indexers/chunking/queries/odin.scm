(procedure_declaration . (identifier) @name) @function
(overloaded_procedure_declaration . (identifier) @name) @function
(struct_declaration . (identifier) @name) @struct
(union_declaration . (identifier) @name) @type
(enum_declaration . (identifier) @name) @enum
(bit_field_declaration . (identifier) @name) @struct
(const_declaration . (identifier) @name) @constant
(comment) @leading
(attributes) @leading
(call_expression function: (identifier) @reference)
(type (identifier) @reference)
