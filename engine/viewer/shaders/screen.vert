#version 330
// One triangle that covers the picture.
#include "view.glsl"
out vec3 ray;  // direction of sight
out vec2 uv;

void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
    ray = forward.xyz + corner.x * right.xyz + corner.y * up.xyz;
    uv = 0.5 + 0.5 * corner;
    gl_Position = vec4(corner, 0.0, 1.0);
}
