#version 330
// Half the size: five taps, each the mean of four pixels (the dual filter of Bjørge). The first of the pyramid keeps only what is bright.
uniform sampler2D picture;
uniform vec2 texel;      // of the picture
uniform float threshold; // light below this leaves no halo
in vec2 uv;
out vec4 light;

vec3 bright(vec2 at) {
    vec3 c = min(texture(picture, at).rgb, 24.0);
    float peak = max(c.r, max(c.g, c.b));
    return c * max(peak - threshold, 0.0) / max(peak, 1e-4);
}

void main() {
    vec3 sum = 4.0 * bright(uv);
    for (int i = 0; i < 4; ++i) sum += bright(uv + texel * vec2((i & 1) * 2 - 1, (i & 2) - 1));
    light = vec4(sum / 8.0, 1.0);
}
