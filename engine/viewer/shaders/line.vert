#version 330
// One segment of a line, widened to a strip on the screen. Neighbours share their mitre, so a half-transparent line has no knots.
#include "view.glsl"
in vec3 before, start, end, after;  // relative to the eye
in vec4 start_colour, end_colour;
in float width;                     // pixels
out vec4 tint;
out float across;                   // from the middle, pixels
out float half_width;

vec2 on_screen(vec4 clip) { return clip.xy / max(clip.w, 1e-6) * viewport * 0.5; }

vec2 unit_or(vec2 v, vec2 otherwise) {
    float l = length(v);
    return l > 1e-4 ? v / l : otherwise;
}

void main() {
    bool at_end = gl_VertexID >= 2;
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    vec4 here = view_projection * vec4(at_end ? end : start, 1.0);
    vec2 p0 = on_screen(view_projection * vec4(before, 1.0)), p1 = on_screen(view_projection * vec4(start, 1.0));
    vec2 p2 = on_screen(view_projection * vec4(end, 1.0)), p3 = on_screen(view_projection * vec4(after, 1.0));
    vec2 own = unit_or(p2 - p1, vec2(1.0, 0.0));
    vec2 next = at_end ? unit_or(p3 - p2, own) : unit_or(p1 - p0, own);
    vec2 tangent = dot(own, next) > 0.0 ? unit_or(own + next, own) : own;  // at a cusp a mitre would stick out
    vec2 normal = vec2(-tangent.y, tangent.x);
    float stretch = 1.0 / max(dot(normal, vec2(-own.y, own.x)), 0.4);
    half_width = 0.5 * width;
    across = side * (half_width + 1.0);
    here.xy += normal * across * stretch * 2.0 / viewport * here.w;
    tint = at_end ? end_colour : start_colour;
    gl_Position = here;
}
