(module_directive (module_path) @name) @module
(comment) @leading
(require_spec (module_path) @reference)
