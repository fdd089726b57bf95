#version 330
// One triangle that covers the picture; hands on the direction of sight.
uniform vec3 forward, right, up;  // world axes; right and up already stretched to the edges of the picture
out vec3 ray;

void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
    ray = forward + corner.x * right + corner.y * up;
    gl_Position = vec4(corner, 1.0, 1.0);
}
