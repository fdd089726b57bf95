"""How a tick runs: what is held over it, which loops take it, and which force spoilt it."""
