#version 330
// Solids, any number of each in one call.
#include "view.glsl"
in vec3 position, normal;
in vec3 tint;
in vec3 surface;     // metallic, roughness, pattern
in vec2 pattern_at;
in vec3 offset;      // each one's: from the eye
in mat3 turn;        // mesh axes to world axes, scale included
in vec3 paint;       // multiplies the colour of luminous parts
out vec3 sight;      // from the eye to the point
out vec3 facing;
out vec3 albedo;
out vec2 at;
flat out vec3 finish;

void main() {
    sight = offset + turn * position;
    // Normals of stretched solids: the matrix of cofactors.
    facing = mat3(cross(turn[1], turn[2]), cross(turn[2], turn[0]), cross(turn[0], turn[1])) * normal;
    finish = surface;
    albedo = surface.z > 3.5 && surface.z < 4.5 ? tint * paint : tint;
    at = pattern_at;
    gl_Position = view_projection * vec4(sight, 1.0);
}
