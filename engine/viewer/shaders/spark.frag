#version 330
// A streak, round at both ends, that cools along the way: the colours of `plume.frag`, without the white of its core.
in vec2 at;
flat in vec3 streak;
out vec4 light;

void main() {
    float s = clamp(at.x, 0.0, streak.x), cooled = s / max(streak.x, 1e-3);
    vec2 away = vec2(at.x - s, at.y) / streak.y;
    vec3 tint = mix(vec3(0.36, 0.78, 1.90), vec3(0.06, 0.22, 1.10), smoothstep(0.0, 0.5, cooled));
    light = vec4(streak.z * tint * exp(-dot(away, away)) * (1.0 - cooled) * (1.0 - cooled), 0.0);
}
