(class_name_statement name: (name) @name) @class
(class_definition name: (name) @name) @class
(function_definition name: (name) @name) @function
(constructor_definition "_init" @name) @method
(signal_statement name: (name) @name) @constant
(const_statement name: (name) @name) @constant
(enum_definition name: (name) @name) @enum
(comment) @leading
(annotation) @leading
(call . (identifier) @reference)
(attribute_call . (identifier) @reference)
