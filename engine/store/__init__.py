"""Where everything that decides a world's future lives: tables with a schema, and one store that owns them."""
