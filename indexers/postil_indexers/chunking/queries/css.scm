(rule_set (selectors) @name) @class
(keyframes_statement (keyframes_name) @name) @function
(comment) @leading
