"""Answers and summaries: from a question to checked sentences, by extraction or by a language model."""
