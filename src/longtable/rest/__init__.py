"""REST: the same tools under paths, for orchestrators and the console."""
