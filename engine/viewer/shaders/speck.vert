#version 330
// A solid too far away to show its shape: a dart along its z axis, with the light that its broadest face and the rest of it throw back.
#include "view.glsl"
uniform vec3 tint;      // mean colour of its surface, metals left out
uniform vec3 broadest;  // normal of its broadest face, mesh axes
uniform vec2 shape;     // half length and mean half width, mesh units
in vec3 offset;
in mat3 turn;
out vec4 colour;
flat out vec2 nose;          // from the middle, pixels
flat out vec2 square_width;  // side of the square it is drawn in, half width of the dart; pixels

const float FINEST = 0.45;  // half width in pixels
const float POINT = 3.0;    // radius in pixels below which no shape is drawn
const float ROUND = 0.9;    // least radius of a point, pixels

void main() {
    float far = length(offset), pixels = 0.5 * viewport.y / (length(up.xyz) * far), scale = length(turn[0]);
    vec3 towards = -offset / far, face = normalize(turn * broadest);
    face *= dot(face, towards) < 0.0 ? -1.0 : 1.0;
    float full = 0.5 + 0.5 * dot(sun.xyz, towards), below = 0.5 + 0.5 * dot(face, planet.xyz);
    float lit = 0.55 * max(dot(face, sun.xyz), 0.0) + 0.45 * full * full;
    nose = shape.x * pixels * vec2(dot(turn[2], normalize(right.xyz)), -dot(turn[2], normalize(up.xyz)));
    float half_width = 0.7 * shape.y * scale * pixels, drawn = max(half_width, FINEST), shown = half_width / drawn;
    if (scale * max(shape.x, shape.y) * pixels < POINT) {
        // So small, it is a round point with the light of the area that it covers. A dart would flicker as it turns.
        float area = 4.0 * half_width * (length(nose) + half_width), radius = max(sqrt(area / PI), ROUND);
        nose = vec2(0.0);
        drawn = radius;
        shown = area / (PI * radius * radius);
    }
    square_width = vec2(2.0 * (length(nose) + drawn) + 2.0, drawn);
    float nearness = clamp(1.5 - 0.5 * far / forward.w, 0.5, 1.1);  // as in spark.vert
    colour = vec4(nearness * tint * (SUNLIGHT * lit / PI + 0.10 * below), 1.0) * shown;
    gl_PointSize = square_width.x;
    gl_Position = view_projection * vec4(offset, 1.0);
}
