#version 330
// The image of a point in a lens: a fine round spot, and round the bright ones a faint halo.
in vec3 glow;
in float size;
out vec4 light;

void main() {
    vec2 offset = (gl_PointCoord - 0.5) * size;
    float away = dot(offset, offset), edge = max(1.0 - 4.0 * away / (size * size), 0.0);
    light = vec4(glow * edge * (exp(-1.7 * away) + (size > 6.0 ? 0.014 / (0.25 + 0.12 * away) : 0.0)), 0.0);
}
