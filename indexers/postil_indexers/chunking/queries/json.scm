(document (object (pair key: (string) @name) @constant))
(document (object (pair value: (object (pair key: (string) @name) @constant))))
