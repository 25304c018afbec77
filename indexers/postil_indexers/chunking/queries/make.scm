((rule (targets (word) @name)) @function (#not-match? @name "[%.$]"))
(define_directive name: (word) @name) @macro
(makefile (variable_assignment name: (word) @name) @constant)
(comment) @leading
(prerequisites (word) @reference)
(variable_reference (word) @reference)
