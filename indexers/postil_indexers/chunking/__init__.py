"""Documents to chunks that tile their text: notes by headings, code by syntax, everything else by lines."""
