((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @function
  (#any-of? @_def "defn" "defn-" "defmulti" "definline"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit (meta_lit) name: (sym_name) @name)) @function
  (#any-of? @_def "defn" "defn-" "defmulti"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @method
  (#eq? @_def "defmethod"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @macro
  (#eq? @_def "defmacro"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @class
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @test
  (#eq? @_def "deftest"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @module
  (#eq? @_def "ns"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit name: (sym_name) @name)) @constant
  (#any-of? @_def "def" "defonce" "s/def"))
((list_lit . value: (sym_lit name: (sym_name) @_def) . value: (sym_lit)
    value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit)) @method)
  (#any-of? @_def "defprotocol" "defrecord" "deftype"))
(comment) @leading
(list_lit . value: (sym_lit name: (sym_name) @reference))
