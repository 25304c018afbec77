"""Text -> vectors: one protocol, one provider a file."""
