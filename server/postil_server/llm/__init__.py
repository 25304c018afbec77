"""Chat models behind one protocol: on an Ollama server, behind an OpenAI-compatible address, or in the process."""
