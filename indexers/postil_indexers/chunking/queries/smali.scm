(class_directive (class_identifier) @name) @class @rest
(method_definition (method_signature (method_identifier) @name)) @method
(comment) @leading
(full_method_signature (method_signature (method_identifier) @reference))
