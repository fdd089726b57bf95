#version 330
// A patch of pixels, colour premultiplied by opacity.
uniform sampler2D picture;
in vec2 uv;
out vec4 colour;

void main() { colour = texture(picture, uv); }
