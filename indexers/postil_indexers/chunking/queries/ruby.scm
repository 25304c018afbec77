(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
((call method: (identifier) @_call arguments: (argument_list . [(string) (constant) (scope_resolution)] @name) block: (_)) @test
  (#any-of? @_call "describe" "context" "it" "specify" "test" "should"))
((call method: (identifier) @_call arguments: (argument_list . (simple_symbol) @name) block: (_)) @function
  (#any-of? @_call "define_method" "task" "namespace"))
(comment) @leading
(call method: (identifier) @reference)
(superclass (constant) @reference)
(superclass (scope_resolution name: (constant) @reference))
(call receiver: (constant) @reference)
