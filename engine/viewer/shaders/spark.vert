#version 330
// The exhaust of a thruster too far away to show its shape: a streak of light, at least a pixel wide.
#include "view.glsl"
in vec3 nozzle;     // middle of the exit, relative to the eye
in vec3 direction;  // the way the gas goes, unit
in float radius;    // of the exit
in float throttle;
out vec2 at;           // along the streak from the nozzle, and across it; pixels
flat out vec3 streak;  // length and half width in pixels, brightness

const float FINEST = 0.85;  // half width in pixels

vec2 on_screen(vec3 point) {
    vec4 clip = view_projection * vec4(point, 1.0);
    return clip.xy / max(clip.w, 1e-6) * viewport * 0.5;
}

void main() {
    vec2 start = on_screen(nozzle), end = on_screen(nozzle + 12.0 * radius * throttle * direction), way = end - start;
    float far = length(nozzle), true_width = 0.75 * radius / far * 0.5 * viewport.y / length(up.xyz);
    float half_width = max(true_width, FINEST), reach = length(way);
    way = reach > 1e-3 ? way / reach : vec2(1.0, 0.0);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    at = vec2(corner.x > 0.0 ? reach + 2.2 * half_width : -2.2 * half_width, 2.2 * corner.y * half_width);
    // Those behind what is looked at are dimmer than the truth, those before it brighter: a crowd of points has no other depth.
    float nearness = clamp(1.7 - 0.7 * far / forward.w, 0.45, 1.25);
    streak = vec3(reach, half_width, (0.1 + 1.5 * throttle * throttle) * sqrt(true_width / half_width) * nearness);
    vec4 clip = view_projection * vec4(nozzle, 1.0);
    vec2 place = start + way * at.x + vec2(-way.y, way.x) * at.y;
    gl_Position = vec4(place * 2.0 / viewport * clip.w, clip.zw);
}
