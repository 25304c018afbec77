(unit (moduleName) @name) @module
(program (moduleName) @name) @module
(library (moduleName) @name) @module
(defProc header: (declProc name: (_) @name)) @function
(declProc name: (identifier) @name) @function
(declType name: (identifier) @name type: (type (declEnum))) @enum
(declType name: (_) @name type: (declClass [(kRecord) (kObject)])) @struct
(declType name: (_) @name type: (declClass (kClass))) @class
(declType name: (_) @name type: (declIntf)) @interface
(declType name: (_) @name) @type
(declConst name: (identifier) @name) @constant
(comment) @leading
(exprCall entity: (identifier) @reference)
(exprCall entity: (exprDot rhs: (identifier) @reference))
(typeref (identifier) @reference)
