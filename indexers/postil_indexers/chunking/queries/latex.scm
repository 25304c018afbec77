(new_command_definition declaration: (_ command: (_) @name)) @macro
(new_command_definition declaration: (command_name) @name) @macro
(environment_definition name: (_ text: (_) @name)) @macro
(chapter text: (curly_group (text) @name)) @section
(section text: (curly_group (text) @name)) @section
(subsection text: (curly_group (text) @name)) @section
(label_definition name: (curly_group_label (label) @name)) @constant
(line_comment) @leading
(label_reference names: (curly_group_label_list (label) @reference))
(generic_command command: (command_name) @reference)
