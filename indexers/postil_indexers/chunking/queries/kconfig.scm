(config name: (name) @name) @constant
(menuconfig name: (name) @name) @constant
(menu name: (string) @name) @module
(comment) @leading
