; inherits: lua
(type_definition (identifier) @name) @type
