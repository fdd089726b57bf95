#version 330
// Depth alone.
void main() {}
