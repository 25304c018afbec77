((call target: (identifier) @_call (arguments . (alias) @name) (do_block)) @module
  (#eq? @_call "defmodule"))
((call target: (identifier) @_call (arguments . (alias) @name) (do_block)) @interface
  (#eq? @_call "defprotocol"))
((call target: (identifier) @_call (arguments . (alias) @name) (do_block)) @impl
  (#eq? @_call "defimpl"))
((call target: (identifier) @_call (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name)])) @clause
  (#any-of? @_call "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_call (arguments . (binary_operator left: (_) operator: ["+" "-" "*" "/" "<>" "++" "|>" "<~>" "~>" "<~" "|||" "&&&" "==" "<" ">" "=~" ".."] @name))) @clause
  (#any-of? @_call "def" "defp"))
((call target: (identifier) @_call (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name)])) @macro
  (#any-of? @_call "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_call (arguments . (string) @name) (do_block)) @test
  (#any-of? @_call "test" "describe"))
((unary_operator operand: (call target: (identifier) @name (arguments . [(integer) (string) (atom) (list) (map) (sigil) (tuple) (float) (charlist)]))) @constant
  (#not-match? @name "^(moduledoc|doc|typedoc|spec|type|impl|behaviour|derive|tag|compile|deprecated|since|callback|dialyzer|moduletag|describetag|external_resource|enforce_keys|shortdoc|opaque|typep)$"))
((unary_operator operand: (call target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "doc" "spec" "impl" "tag" "deprecated" "typedoc" "dialyzer"))
(comment) @leading
(call target: (identifier) @reference)
(call target: (dot right: (identifier) @reference))
(call target: (dot left: (alias) @reference))
((call target: (identifier) @_call (arguments . (alias) @reference))
  (#any-of? @_call "alias" "import" "use" "require"))
