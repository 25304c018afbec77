(entry key: (_) @name) @constant
