(file (value_declaration functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)) @function)
(type_alias_declaration name: (upper_case_identifier) @name) @type
(type_declaration name: (upper_case_identifier) @name) @type
(port_annotation name: (lower_case_identifier) @name) @function
(type_annotation) @leading
(line_comment) @leading
(block_comment) @leading
(function_call_expr target: (value_expr name: (value_qid (lower_case_identifier) @reference .)))
(type_ref (upper_case_qid (upper_case_identifier) @reference .))
