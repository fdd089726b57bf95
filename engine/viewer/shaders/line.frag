#version 330
// Luminous lines with edges as soft as a pixel.
#include "filmic.glsl"
in vec4 tint;
in float across;
in float half_width;
out vec4 light;

void main() {
    float opacity = tint.a * clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
    light = vec4(luminous(tint.rgb) * opacity, opacity);
}
