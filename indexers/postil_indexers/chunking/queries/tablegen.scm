(class name: (identifier) @name) @class
(multiclass . (identifier) @name) @class
(def . (value (identifier) @name)) @constant
(comment) @leading
(parent_class_list (identifier) @reference)
