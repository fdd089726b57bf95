#version 330
// Solids as the sun sees them. What lies nearer to the sun than the map reaches is pressed onto its face: it casts its shadow all the same.
#include "view.glsl"
in vec3 position;
in vec3 offset;
in mat3 turn;

void main() {
    gl_Position = sun_map * vec4(offset + turn * position, 1.0);
    gl_Position.z = max(gl_Position.z, -1.0);
}
