(message (message_name) @name) @struct
(enum (enum_name) @name) @enum
(service (service_name) @name) @interface
(rpc (rpc_name) @name) @method
(package (full_ident) @name) @module
(comment) @leading
(message_or_enum_type (identifier) @reference .)
