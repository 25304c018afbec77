"""What changed in a workspace since it was last looked at, as the system tells it or as polling finds it."""
