(model_block (identifier) @name) @struct
(enum_block . (identifier) @name) @enum
(key_value_block (identifier) @name) @module
(comment) @leading
(non_null_type (prisma_type) @reference)
