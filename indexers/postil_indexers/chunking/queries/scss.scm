(rule_set (selectors) @name) @class
(mixin_statement name: (identifier) @name) @macro
(function_statement name: (identifier) @name) @function
(stylesheet (declaration (property_name) @name) @constant)
(keyframes_statement (keyframes_name) @name) @function
(comment) @leading
(include_statement (identifier) @reference)
(call_expression (function_name) @reference)
