(bind function: (id) @name) @function
(bind . (id) @name) @constant
(field function: (fieldname) @name) @function
(field . (fieldname) @name) @constant
(comment) @leading
(functioncall . (id) @reference)
