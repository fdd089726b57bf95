#version 330
uniform mat4 view_projection;  // of points relative to the eye
uniform mat3 model;            // mesh axes to world axes, scale included
uniform vec3 offset;           // of the mesh from the eye, world axes
in vec3 position;
in vec3 normal;
in vec3 tint;
in vec3 surface;               // metallic, roughness, pattern
in vec2 pattern_at;
out vec3 sight;                // from the eye to the point, world axes
out vec3 facing;
out vec3 albedo;
out vec2 at;
flat out vec3 finish;

void main() {
    sight = offset + model * position;
    facing = model * normal;
    albedo = tint;
    finish = surface;
    at = pattern_at;
    gl_Position = view_projection * vec4(sight, 1.0);
}
