(rule (rule_head . (var) @name)) @clause
(comment) @leading
(fn_name (var) @reference)
