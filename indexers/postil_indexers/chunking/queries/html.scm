((element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))) @constant (#eq? @_id "id"))
(comment) @leading
