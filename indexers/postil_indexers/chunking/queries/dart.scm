(class_definition name: (identifier) @name) @class
(mixin_declaration (identifier) @name) @trait
(extension_declaration name: (identifier) @name) @impl
(enum_declaration name: (identifier) @name) @enum
(type_alias (type_identifier) @name) @type
(_ (method_signature (function_signature name: (identifier) @name)) @method . (function_body) @tail)
(_ (method_signature (getter_signature name: (identifier) @name)) @method . (function_body) @tail)
(_ (method_signature (setter_signature name: (identifier) @name)) @method . (function_body) @tail)
(_ (method_signature (constructor_signature name: (identifier) @name .  parameters: (_))) @method . (function_body) @tail)
(_ (method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @method . (function_body) @tail)
(declaration (function_signature name: (identifier) @name)) @method
(declaration (getter_signature name: (identifier) @name)) @method
(declaration (constructor_signature name: (identifier) @name . parameters: (_))) @method
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @method
(program (function_signature name: (identifier) @name) @function . (function_body) @tail)
(program (getter_signature name: (identifier) @name) @function . (function_body) @tail)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @constant)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @constant)
(comment) @leading
(documentation_comment) @leading
(annotation) @leading
((_ (identifier) @reference . (selector (argument_part))))
(selector (unconditional_assignable_selector (identifier) @reference))
(type_identifier) @reference
