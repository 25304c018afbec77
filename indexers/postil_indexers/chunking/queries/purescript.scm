(function name: (variable) @name) @clause
(class_declaration (class_head (class_name (type) @name))) @interface
(class_body (signature name: (variable) @name) @method)
(class_instance (instance_head . (class_name (type) @name))) @impl
(type_alias name: (type) @name) @type
(newtype name: (type) @name) @type
(data name: (type) @name) @type
(signature) @leading
(comment) @leading
(exp_apply . (exp_name (variable) @reference))
(type_name (type) @reference)
