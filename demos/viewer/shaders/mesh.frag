#version 330
// One sun, light from the planet below, and a painted sky for the metals to mirror. Colours are linear until the last line.
uniform vec3 sun;         // world axes, unit
uniform vec3 paint;       // multiplies the colour of luminous parts
in vec3 sight;
in vec3 facing;
in vec3 albedo;
in vec2 at;
flat in vec3 finish;
out vec4 colour;

const vec3 SUNLIGHT = vec3(3.6, 3.4, 3.15);
const vec3 PLANETSHINE = vec3(0.080, 0.108, 0.145);
const vec3 STARLIGHT = vec3(0.036, 0.039, 0.052);
const int CELLS = 1, FOIL = 2, SEAMS = 3, GLOW = 4;  // as in mesh_builder.py

float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }

// Smooth noise from -0.5 to 0.5, folded so that it has creases.
float crumple(vec2 p) {
    vec2 cell = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x), high = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + 1.0), f.x);
    return abs(mix(low, high, f.y) * 2.0 - 1.0) - 0.5;
}

// 1 on a line of this width around whole multiples of the spacing, its edge as soft as a pixel.
float grid(float x, float spacing, float width) {
    float away = abs(fract(x / spacing + 0.5) - 0.5) * spacing;
    float soft = fwidth(x) + 1e-5;
    return (1.0 - smoothstep(width - soft, width + soft, away)) * min(1.0, width * 2.0 / soft);
}

vec3 sky(vec3 d, float roughness) {
    float below = smoothstep(0.15 + roughness, -0.35 - roughness, d.z);
    vec3 c = mix(STARLIGHT, PLANETSHINE * 1.5, below);
    c += vec3(0.07, 0.13, 0.22) * exp(-pow((d.z + 0.42) / (0.12 + 0.35 * roughness), 2.0));
    c += vec3(0.42, 0.40, 0.38) * smoothstep(0.80 - 0.5 * roughness, 1.0, dot(d, normalize(vec3(-0.35, 0.75, 0.55))));
    return c;
}

void main() {
    int pattern = int(finish.z + 0.5);
    if (pattern == GLOW) {
        vec3 n = normalize(facing);
        vec3 body = albedo * paint;
        float shade = 0.62 + 0.38 * max(dot(n, normalize(sun - normalize(sight))), 0.0);
        colour = vec4(body * shade, 1.0);
        return;
    }
    vec3 n = normalize(gl_FrontFacing ? facing : -facing);
    vec3 base = albedo;
    float metallic = finish.x, roughness = finish.y;
    if (pattern == CELLS) {
        float fine = max(grid(at.x, 0.125, 0.004), grid(at.y, 0.17, 0.004));
        float bus = max(grid(at.x, 0.5, 0.010), grid(at.y, 0.51, 0.010));
        base *= 0.82 + 0.36 * hash(floor(vec2(at.x / 0.125 + 0.5, at.y / 0.17 + 0.5)));
        base = mix(base, vec3(0.42, 0.46, 0.52), clamp(0.45 * fine + bus, 0.0, 1.0));
    } else if (pattern == FOIL) {
        vec2 lean = vec2(crumple(at * 5.0), crumple(at * 5.0 + 31.7)) + 0.7 * vec2(crumple(at * 14.0), crumple(at * 14.0 + 13.1));
        vec3 side = normalize(cross(n, vec3(0.31, 0.22, 0.93)));
        n = normalize(n + 0.34 * (lean.x * side + lean.y * cross(n, side)));
    } else if (pattern == SEAMS) {
        float seam = max(grid(at.x, 0.785398, 0.006), grid(at.y + 0.2, 0.45, 0.006));
        base *= 1.0 - 0.55 * seam;
        base *= 0.94 + 0.10 * hash(floor(vec2(at.x / 0.785398 + 0.5, (at.y + 0.2) / 0.45 + 0.5)));
    }
    vec3 v = -normalize(sight);
    vec3 h = normalize(v + sun);
    float nl = max(dot(n, sun), 0.0), nv = max(dot(n, v), 0.03), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0);
    vec3 f0 = mix(vec3(0.04), base, metallic);

    // Cook-Torrance: GGX distribution, Schlick's Fresnel, the usual shortened visibility term.
    float a2 = pow(roughness, 4.0);
    float denominator = nh * nh * (a2 - 1.0) + 1.0;
    float k = 0.5 * roughness * roughness;
    float specular = a2 / (3.14159 * denominator * denominator) * 0.25 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
    vec3 diffuse = base * (1.0 - metallic);
    vec3 light = SUNLIGHT * nl * (diffuse / 3.14159 * (1.0 - fresnel) + fresnel * min(specular, 12.0));

    vec3 mirrored = f0 + (max(vec3(1.0 - roughness), f0) - f0) * pow(1.0 - nv, 5.0);
    light += diffuse * mix(STARLIGHT, PLANETSHINE, 0.5 - 0.5 * n.z);
    light += mirrored * sky(reflect(-v, n), roughness);

    // A filmic curve: straight in the shadows, bending over towards white.
    light *= 1.05;
    light = clamp(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), 0.0, 1.0);
    colour = vec4(pow(light, vec3(1.0 / 2.2)), 1.0);
}
