// The module of the console. Every page works without it.
