#version 330
// Twice the size: eight taps around; added onto the level above.
uniform sampler2D picture;
uniform vec2 texel;  // of the picture
uniform float share; // of what is added
in vec2 uv;
out vec4 light;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        vec2 diagonal = vec2((i & 1) * 2 - 1, (i & 2) - 1) * 0.5;
        vec2 straight = vec2(diagonal.x + diagonal.y, diagonal.x - diagonal.y);
        sum += 2.0 * texture(picture, uv + texel * diagonal).rgb + texture(picture, uv + texel * straight).rgb;
    }
    light = vec4(share * sum / 12.0, 1.0);
}
