(section (section_name (text) @name)) @module
(comment) @leading
