(program_definition (identification_division (program_name) @name)) @module
(paragraph_header) @name @function
(section_header) @name @function
(comment) @leading
