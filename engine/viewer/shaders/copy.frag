#version 330
// A texture stretched over the whole target.
uniform sampler2D picture;
in vec2 uv;
out vec4 light;

void main() { light = texture(picture, uv); }
