(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "struct")))))) @struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "enum")))))) @enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr (ContainerDecl))))) @type
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr (ErrorSetDecl))))) @enum
(Decl (FnProto function: (IDENTIFIER) @name)) @function
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @constant
(TestDecl [(STRINGLITERALSINGLE) (IDENTIFIER)] @name) @test
(line_comment) @leading
(doc_comment) @leading
(SuffixExpr variable_type_function: (IDENTIFIER) @reference . (FnCallArguments))
(SuffixExpr (FieldOrFnCall function_call: (IDENTIFIER) @reference))
(ParamType (ErrorUnionExpr (SuffixExpr variable_type_function: (IDENTIFIER) @reference)))
