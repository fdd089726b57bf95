"""The viewer: controls, drawing, texts on the screen, recordings."""
