(binding attrpath: (attrpath) @name expression: (function_expression)) @function
(binding attrpath: (attrpath) @name) @constant
(comment) @leading
(apply_expression function: (variable_expression name: (identifier) @reference))
(apply_expression function: (select_expression attrpath: (attrpath attr: (identifier) @reference .)))
