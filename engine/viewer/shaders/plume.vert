#version 330
// The exhaust of a thruster as a square that faces the eye and covers the whole of it, from whatever side.
#include "view.glsl"
in vec3 nozzle;     // middle of the exit, relative to the eye
in vec3 direction;  // the way the gas goes, unit
in float radius;    // of the exit
in float throttle;
out vec3 sight;
flat out vec3 exit_at, axis;
flat out vec3 shape;  // radius, length, throttle

void main() {
    float reach = 12.0 * radius * throttle, spread = 2.4 * radius + 0.13 * reach;
    vec3 middle = nozzle + 0.5 * reach * direction, towards = normalize(middle);
    vec3 across = cross(direction, towards);
    float slant = length(across);  // 0 where it is seen end on
    across = slant > 1e-3 ? across / slant : normalize(cross(towards, vec3(0.31, 0.22, 0.93)));
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    sight = middle + across * corner.x * spread + cross(towards, across) * corner.y * (0.5 * reach * slant + spread);
    exit_at = nozzle;
    axis = direction;
    shape = vec3(radius, reach, throttle);
    gl_Position = view_projection * vec4(sight, 1.0);
}
