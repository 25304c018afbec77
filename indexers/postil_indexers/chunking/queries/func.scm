(function_definition name: (function_name) @name) @function
(comment) @leading
(function_application function: (identifier) @reference)
