#version 330
// The image of a point in a lens: a round spot with a soft skirt.
in vec3 glow;
out vec4 light;

void main() {
    vec2 offset = gl_PointCoord * 2.0 - 1.0;
    float away = dot(offset, offset);
    light = vec4(glow * max(exp(-7.0 * away) - 0.0009, 0.0), 0.0);
}
