#version 330
// One sun with its shadow, the planet's light from below, and a simple sky for the metals to mirror. Linear light, no upper bound.
#include "view.glsl"
#include "filmic.glsl"
#include "noise.glsl"
#include "patterns.glsl"
uniform sampler2DShadow shadow_map;
uniform float opacity;
in vec3 sight;
in vec3 facing;
in vec3 albedo;
in vec2 at;
flat in vec3 finish;
out vec4 light;

const vec3 PLANETSHINE = vec3(0.165, 0.205, 0.270), CLOUDS = vec3(0.270, 0.265, 0.275), STARLIGHT = vec3(0.016, 0.018, 0.024);
const float RADIUS = 3.0;      // of the soft edge of shadows, texels
const float BRIGHTEST = 48.0;  // a glint above this would leave jagged edges after the samples are averaged

float squared(float x) { return x * x; }

float to_the_fifth(float x) { return squared(squared(x)) * x; }

// How much of the sun is seen: twelve comparisons on a spiral disc, each of four texels.
float sunlit(vec3 normal) {
    if (sun.w == 0.0) return 1.0;
    // The surface falls away by radius × tan(slant) across the disc: a step of radius × sin(slant) along the normal clears that.
    float cosine = dot(normal, sun.xyz), step_off = 0.7 + (RADIUS + 1.2) * sqrt(max(1.0 - cosine * cosine, 0.0));
    vec3 p = (sun_map * vec4(sight + normal * step_off / sun.w, 1.0)).xyz;
    if (max(abs(p.x), abs(p.y)) > 0.99) return 1.0;
    p = 0.5 + 0.5 * p;
    float seen = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);
    for (int i = 0; i < 12; ++i) {
        float turn = 2.399963 * float(i), radius = RADIUS * texel * sqrt((float(i) + 0.5) / 12.0);
        seen += texture(shadow_map, vec3(p.xy + radius * vec2(cos(turn), sin(turn)), p.z));
    }
    return seen / 12.0;
}

// How brightly the planet shines from a direction that meets it.
float daylight(vec3 d) {
    vec3 centre = planet.xyz / planet.w;
    float along = dot(d, centre);
    vec3 n = d * (along - sqrt(max(1.0 - dot(centre, centre) + along * along, 0.0))) - centre;
    return smoothstep(-0.1, 0.9, dot(n, sun.xyz) * inversesqrt(dot(n, n)));
}

// The sky as a mirror of this roughness shows it.
vec3 sky(vec3 d, float roughness) {
    float soft = 0.04 + 0.85 * roughness, limb = sqrt(1.0 - planet.w * planet.w), down = dot(d, planet.xyz);
    float day = daylight(d);
    vec3 c = mix(STARLIGHT, CLOUDS * day, smoothstep(limb - soft, limb + soft, down));
    c += vec3(0.13, 0.18, 0.25) * (0.06 + day) * exp(-squared((down - limb) / (0.06 + 0.4 * roughness))) / (1.0 + 3.0 * roughness);
    // Two dim lamps that are not there: in a sky so black bare metal would have nothing to show.
    vec3 lamp = normalize(vec3(0.55, 0.35, 0.75)), other = normalize(vec3(-0.80, -0.45, 0.40));
    c += vec3(0.42, 0.41, 0.40) * smoothstep(0.72 - 0.6 * roughness, 1.0, dot(d, lamp));
    return c + vec3(0.10, 0.13, 0.18) * smoothstep(0.40 - 0.5 * roughness, 1.0, dot(d, other));
}

// GGX distribution and Smith's visibility, correlated for height: reflected light over light times the cosine, without Fresnel.
float highlight(float nl, float nv, float nh, float roughness) {
    float a2 = squared(squared(roughness));
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
    return a2 / (PI * d * d) * visibility;
}

// What the plumes near by add to the irradiance. Nothing stands in the way of it: it is soft, and falls off within a few metres.
vec3 firelight(vec3 normal) {
    float sum = 0.0;
    for (int i = 0; i < 4 && flames[i].w > 0.0; ++i) {
        vec3 away = flames[i].xyz - sight;
        float square = dot(away, away);
        sum += flames[i].w * max(dot(normal, away), 0.0) * inversesqrt(square) / (square + 0.25 * flames[i].w);
    }
    return sum * vec3(0.45, 0.70, 1.45);
}

vec3 shade(Surface s, float lit) {
    vec3 v = -normalize(sight), h = normalize(v + sun.xyz), n = s.normal;
    float nl = max(dot(n, sun.xyz), 0.0), nv = max(dot(n, v), 0.03), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0);
    vec3 f0 = mix(vec3(0.04), s.base, s.metallic), diffuse = s.base * (1.0 - s.metallic);
    vec3 fresnel = f0 + (1.0 - f0) * to_the_fifth(1.0 - vh);
    vec3 mirrored = f0 + (max(vec3(1.0 - s.roughness), f0) - f0) * to_the_fifth(1.0 - nv);
    vec3 reflected = reflect(-v, n);

    vec3 sun_part = diffuse / PI * (1.0 - fresnel) + fresnel * highlight(nl, nv, nh, s.roughness);
    vec3 sky_part = mirrored * sky(reflected, s.roughness);
    if (s.coat > 0.0) {  // glass over it: a sharper highlight of its own
        float glass = 0.04 + 0.96 * to_the_fifth(1.0 - vh), pane = 0.04 + 0.96 * to_the_fifth(1.0 - nv);
        sun_part = mix(sun_part, sun_part * (1.0 - glass) + glass * highlight(nl, nv, nh, 0.11), s.coat);
        sky_part = mix(sky_part, sky_part * (1.0 - pane) + pane * sky(reflected, 0.08), s.coat);
    }
    float below = 0.5 + 0.5 * dot(n, planet.xyz);
    vec3 ambient = mix(STARLIGHT, PLANETSHINE * planet.w * smoothstep(-0.1, 0.9, -dot(planet.xyz, sun.xyz)), below * below);
    vec3 fire_part = s.base * (1.0 - 0.6 * s.metallic) / PI * firelight(n);
    return min(SUNLIGHT * nl * lit * sun_part + diffuse * ambient + sky_part + fire_part, BRIGHTEST);
}

void main() {
    int pattern = int(finish.z + 0.5);
    vec3 normal = normalize(gl_FrontFacing ? facing : -facing);
    if (pattern == GLOW) {
        float towards = max(dot(normal, -normalize(sight)), 0.0);
        light = opacity * vec4(luminous(albedo * (0.74 + 0.26 * towards)), 1.0);
        return;
    }
    // Where the surface bends within a pixel its highlight is wider than the material's, else it would flicker (after Kaplanyan).
    float bend = min(0.25 * (dot(dFdx(normal), dFdx(normal)) + dot(dFdy(normal), dFdy(normal))), 0.15);
    Surface s = Surface(normal, albedo, finish.x, sqrt(sqrt(squared(squared(finish.y)) + bend)), 0.0);
    if (pattern == CELLS) solar_cells(s, at);
    else if (pattern == FOIL) foil(s, at);
    else if (pattern == SEAMS) seams(s, at);
    light = opacity * vec4(shade(s, dot(normal, sun.xyz) > 0.0 ? sunlit(normal) : 0.0), 1.0);
}
