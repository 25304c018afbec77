(let pattern: (call item: (ident) @name)) @function
(let pattern: (ident) @name) @constant
(section . (heading (text) @name)) @section
(comment) @leading
(call item: (ident) @reference)
