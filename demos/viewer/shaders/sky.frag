#version 330
// Deep space: a soft gradient, a faint band of haze, and the limb of a planet below.
uniform vec3 sun;     // world axes, unit
uniform vec4 planet;  // direction of its middle, unit; its radius over its distance
in vec3 ray;
out vec4 colour;

float hash(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }

float noise(vec2 p) {
    vec2 cell = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x), mix(hash(cell + vec2(0.0, 1.0)), hash(cell + 1.0), f.x), f.y);
}

void main() {
    vec3 d = normalize(ray);
    float height = 0.5 + 0.5 * d.z;
    vec3 c = mix(vec3(0.0012, 0.0022, 0.0060), vec3(0.0030, 0.0038, 0.0090), height);
    float band = dot(d, normalize(vec3(0.55, -0.35, 0.76)));
    c += vec3(0.0060, 0.0042, 0.0095) * exp(-9.0 * band * band) * (0.55 + 0.45 * sin(5.0 * d.x + 3.0 * d.y));
    c += vec3(0.05, 0.04, 0.03) * pow(max(dot(d, sun), 0.0), 24.0);

    // How close the line of sight passes the planet's middle, over its radius.
    float along = dot(d, planet.xyz);
    float miss = sqrt(max(1.0 - along * along, 0.0)) / planet.w;
    if (along > 0.0 && miss < 1.25) {
        vec3 nearest = (d * along - planet.xyz) / planet.w;
        vec3 normal = normalize(nearest - d * sqrt(max(1.0 - miss * miss, 0.0)));
        float day = smoothstep(-0.10, 0.75, dot(normal, sun));
        float inside = smoothstep(1.001, 0.999, miss);
        if (inside > 0.0) {
            vec2 p = normal.xy / (1.3 + normal.z) * 26.0;
            p += 1.6 * vec2(noise(p * 0.4), noise(p * 0.4 + 9.0));
            float cloud = 0.55 * noise(p * vec2(0.7, 1.5)) + 0.30 * noise(p * vec2(2.1, 3.7)) + 0.15 * noise(p * vec2(6.0, 9.0));
            vec3 ground = mix(vec3(0.004, 0.022, 0.060), vec3(0.26, 0.30, 0.34), 0.75 * smoothstep(0.48, 0.80, cloud));
            float haze = pow(miss, 14.0);
            c = mix(c, mix(ground, vec3(0.05, 0.16, 0.36), 0.70 * haze) * (0.02 + 0.85 * day), inside);
        }
        float rim = exp(-(miss > 1.0 ? (miss - 1.0) * 95.0 : (1.0 - miss) * 60.0));
        c += vec3(0.075, 0.23, 0.52) * rim * (0.04 + 0.96 * day) * 0.75;
    }
    // One step of noise hides the bands that eight bits would show.
    c = pow(c, vec3(1.0 / 2.2)) + (hash(gl_FragCoord.xy) - 0.5) / 255.0;
    colour = vec4(c, 1.0);
}
