"""Storage of everything that determines a world's future, in tables with a schema and one store that owns them."""
