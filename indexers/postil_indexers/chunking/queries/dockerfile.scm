(from_instruction as: (image_alias) @name) @module
(arg_instruction name: (_) @name) @constant
(env_instruction (env_pair name: (_) @name)) @constant
(comment) @leading
(from_instruction (image_spec name: (image_name) @reference))
