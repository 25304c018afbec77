(comment) @leading
