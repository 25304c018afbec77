((element [(STag (Attribute (Name) @_id (AttValue) @name)) (EmptyElemTag (Attribute (Name) @_id (AttValue) @name))]) @constant
  (#any-of? @_id "id" "name" "x:Name" "x:Key" "android:id"))
(Comment) @leading
