#version 330
// The first of the pyramid, half the size: what is brighter than a sunlit wall, and of the backdrop the sun, unless something hides it.
uniform sampler2D foreground;  // premultiplied by its coverage
uniform sampler2D backdrop;
uniform vec2 texel;       // of both
uniform float threshold;  // light below this leaves no halo
in vec2 uv;
out vec4 light;

const float GLARING = 2.6;  // above all clouds and nearly all stars
const float MOST = 14.0;    // a single glint would flash from frame to frame

vec3 above(vec3 c, float least) {
    float peak = max(c.r, max(c.g, c.b));
    return c * max(peak - least, 0.0) / max(peak, 1e-4);
}

vec3 bright(vec2 at) {
    vec4 near = texture(foreground, at);
    return min(above(near.rgb, threshold) + above(texture(backdrop, at).rgb, GLARING) * (1.0 - near.a), MOST);
}

void main() {
    vec3 sum = 4.0 * bright(uv);
    for (int i = 0; i < 4; ++i) sum += bright(uv + texel * vec2((i & 1) * 2 - 1, (i & 2) - 1));
    light = vec4(sum / 8.0, 1.0);
}
