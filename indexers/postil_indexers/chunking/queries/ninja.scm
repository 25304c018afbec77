(rule name: (identifier) @name) @function
(build explicit: (outputs) @name) @module
(manifest (let name: (identifier) @name) @constant)
