(function_definition . (identifier) @name) @function
(anonymous_python_function (identifier) @name) @function
(recipe (variable_assignment . (identifier) @name) @constant)
(comment) @leading
