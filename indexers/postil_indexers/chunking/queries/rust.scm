(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name) (reference_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name) (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (primitive_type) @name (reference_type type: (generic_type type: (type_identifier) @name))]) @impl
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(line_comment) @leading
(block_comment) @leading
(attribute_item) @leading
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(call_expression function: (scoped_identifier name: (identifier) @reference))
(call_expression function: (generic_function function: (identifier) @reference))
(macro_invocation macro: (identifier) @reference)
(type_identifier) @reference
(use_declaration argument: (scoped_identifier name: (identifier) @reference))
(use_list (identifier) @reference)
