#version 330
in vec4 tint;
in float across;
in float half_width;
out vec4 colour;

void main() {
    float edge = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
    colour = vec4(tint.rgb, tint.a * edge);
}
