(method exemplarname: (identifier) @scope name: (identifier) @name) @method
(comment) @leading
(invoke receiver: (variable) @reference)
