(function_declaration (function_attribute) @_attribute name: (_) @name) @test
(function_declaration name: (_) @name) @function
(type_declaration . (identifier) @name) @type
(constant_declaration . (identifier) @name) @constant
(comment) @leading
(call_expression callee: (_) @reference)
