(binary_operator lhs: [(identifier) (string)] @name rhs: (function_definition)) @function
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="]) @constant)
((call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name))) @class
  (#any-of? @_call "setClass" "setRefClass" "R6Class"))
((call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name))) @method
  (#any-of? @_call "setMethod" "setGeneric"))
((call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name))) @test
  (#eq? @_call "test_that"))
(comment) @leading
(call function: (identifier) @reference)
(call function: (namespace_operator rhs: (identifier) @reference))
