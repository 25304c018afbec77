(struct (type_identifier) @name) @struct
(enum (enum_identifier) @name) @enum
(interface (type_identifier) @name) @interface
(method (method_identifier) @name) @method
(const (const_identifier) @name) @constant
(comment) @leading
(custom_type (type_identifier) @reference)
