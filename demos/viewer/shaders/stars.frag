#version 330
in vec4 glow;
out vec4 colour;

void main() {
    vec2 offset = gl_PointCoord * 2.0 - 1.0;
    float disc = max(1.0 - dot(offset, offset), 0.0);
    colour = vec4(glow.rgb, disc * glow.a);
}
