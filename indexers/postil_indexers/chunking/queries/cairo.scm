(function_definition . (identifier) @name) @function
(function_signature (identifier) @name) @method
(struct_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @trait
(impl_item . (type_identifier) @name) @impl
(mod_item name: (identifier) @name) @module
(const_item name: (identifier) @name) @constant
(attribute_item) @leading
(call_expression function: (identifier) @reference)
(type_identifier) @reference
