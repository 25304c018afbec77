(comment) @leading
(element (start_tag (tag_name) @reference))
