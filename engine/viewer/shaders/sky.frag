#version 330
// What lies at infinity: the haze of the galaxy, the sun, and a planet with seas, land, clouds and an atmosphere.
#include "view.glsl"
#include "noise.glsl"
in vec3 ray;
out vec4 light;

// Lengths in radii of the planet. The atmosphere is ten times as thick as the Earth's, so that its layers can be seen.
const float SCALE_HEIGHT = 0.011;
const vec3 DEPTH = vec3(0.022, 0.058, 0.165);    // optical depth straight up: Rayleigh's, blue scatters most
const vec3 DIMMING = vec3(0.032, 0.100, 0.190);  // of sunlight on its long way through the air at dawn: ozone takes green too
const float GRAZING = 12.0;                      // √(π / 2 SCALE_HEIGHT): air along the horizon over air straight up

// Air passed on the way out at this cosine to the vertical, over air straight up; below the horizon it soon swallows everything.
float air(float cosine) {
    return cosine > 0.0 ? 1.0 / (0.92 * cosine + 1.0 / GRAZING) : GRAZING * exp(-11.0 * cosine);
}

vec3 sunlight_through(float cosine) { return SUNLIGHT * exp(-0.6 * DIMMING * air(cosine)); }

// The light of the stars too faint to be told apart: a thin disc seen from within, brighter towards its middle, behind lanes of dust.
vec3 galaxy(vec3 d) {
    const vec3 AXIS = vec3(-0.490, 0.433, 0.757), MIDDLE = vec3(-0.808, 0.101, -0.581);
    float height = dot(d, AXIS);
    float band = 0.75 * exp(-height * height * 70.0) + 0.25 * exp(-height * height * 12.0);
    const vec3 DARKEST = vec3(0.0029, 0.0031, 0.0039);  // what the tone map still shows
    if (band < 0.02) return DARKEST;
    vec3 along = d + 1.4 * height * AXIS;  // what the disc holds is drawn out along it
    float bulge = exp(2.5 * (dot(d, MIDDLE) - 1.0)), clumps = cascade(along * 7.0, 5), dust = 0.0;
    if (abs(height) < 0.16) {
        float off = height + 0.10 * (cascade(along * 3.0 + 9.0, 3) - 0.5);
        dust = exp(-off * off * 420.0) * smoothstep(0.40, 0.62, cascade(along * 9.0 + 5.0, 5));
    }
    float specks = 0.70 + 0.35 * noise(d * 240.0) + 0.25 * noise(d * 520.0);
    vec3 tint = mix(vec3(0.72, 0.88, 1.22), vec3(1.02, 0.97, 0.94), bulge);
    return DARKEST + 0.0105 * tint * band * (0.38 + 1.15 * bulge) * (0.25 + 1.5 * clumps) * specks * (1.0 - 0.8 * dust);
}

// The disc, the glow of the lens round it, and the rays of a six-bladed aperture.
vec3 sun_disc(vec3 d) {
    float away = 1.0 - dot(d, sun.xyz);
    if (away > 0.5) return vec3(0.0);
    float turn = atan(dot(d - sun.xyz, up.xyz), dot(d - sun.xyz, right.xyz) * length(up.xyz) / length(right.xyz));
    float rays = pow(abs(cos(3.0 * turn + 0.4)), 60.0) * exp(-away * 260.0);
    return vec3(1.0, 0.95, 0.88) * 90.0 * smoothstep(2.2e-5, 1.4e-5, away)
         + vec3(1.0, 0.94, 0.84) * (0.00007 + 0.00011 * rays) / (away + 3e-5) + vec3(0.004, 0.006, 0.010) * exp(-away * 20.0);
}

float cloud_cover(vec3 n) {
    vec3 p = n * vec3(9.0, 9.0, 14.0);
    p += 1.7 * (vec3(cascade(p * 0.6, 2), cascade(p * 0.6 + 9.0, 2), cascade(p * 0.6 + 23.0, 2)) - 0.5);
    float large = cascade(n * 4.3 + 4.0, 3), fine = cascade(p * 1.9, 7);
    return smoothstep(0.50, 0.64, 0.66 * fine + 0.34 * large);
}

vec3 ground(vec3 n, vec3 d) {
    float height = cascade(n * 2.9 + 3.0, 8), wet = cascade(n * 6.0 + 3.0, 5);
    float land = smoothstep(0.500, 0.506, height);
    vec3 soil = mix(vec3(0.36, 0.27, 0.14), vec3(0.040, 0.100, 0.025), smoothstep(0.38, 0.56, wet));
    soil = mix(soil, vec3(0.44, 0.38, 0.31), smoothstep(0.56, 0.66, height)) * (0.50 + 1.0 * cascade(n * 40.0, 4));
    vec3 sea = mix(vec3(0.006, 0.022, 0.055), vec3(0.014, 0.085, 0.105), smoothstep(0.45, 0.503, height));
    float glint = (1.0 - land) * pow(max(dot(n, normalize(sun.xyz - d)), 0.0), 90.0);
    return mix(sea, soil, land) + 0.55 * glint;
}

vec3 surface(vec3 n, vec3 d) {
    float high = dot(n, sun.xyz);
    float cover = cloud_cover(n);
    float shade = 1.0 - 0.6 * cloud_cover(normalize(n + 0.012 * sun.xyz));
    vec3 colour = mix(ground(n, d) * shade, vec3(0.79, 0.82, 0.87) * (0.62 + 0.38 * cover), cover);
    vec3 lit = 1.35 * sunlight_through(high) * max(high + 0.03, 0.0);  // brighter than the truth: the sun stands low here
    return colour * (lit + vec3(0.0010, 0.0016, 0.0030)) / PI;
}

void main() {
    vec3 d = normalize(ray), centre = planet.xyz / planet.w;
    float along = dot(d, centre);
    float miss = sqrt(max(dot(centre, centre) - along * along, 0.0));
    float inside = clamp(0.5 + (1.0 - miss) / fwidth(miss), 0.0, 1.0);  // the limb is as soft as a pixel
    if (along < 0.0 || miss > 1.0 + 9.0 * SCALE_HEIGHT) {
        light = vec4(galaxy(d) + sun_disc(d), 1.0);
        return;
    }
    // Where the line of sight meets the ground, or comes closest to it, and how much air lies along it.
    vec3 point = d * (along - sqrt(max(1.0 - miss * miss, 0.0))) - centre;
    vec3 n = normalize(point);
    float fade = exp(min(1.0 - miss, 0.0) / SCALE_HEIGHT), slant = max(-dot(n, d), 0.0);
    float passed = mix(2.0 * GRAZING * fade, air(slant), inside);
    vec3 depth = DEPTH * passed;
    // Along the horizon the near half of the path gives most: the sun is as high as it stands there.
    float cosine = dot(d, sun.xyz), high = dot(normalize(n - 0.22 * (1.0 - slant) * (1.0 - slant) * d), sun.xyz);
    float phase = 0.75 * (1.0 + cosine * cosine) + 1.2 * pow(max(cosine, 0.0), 12.0);
    // The upper air is above the red of dawn.
    vec3 scattered = SUNLIGHT * exp(-DIMMING * 0.6 * fade * air(high + 0.02)) * smoothstep(-0.16, 0.12, high);
    vec3 glow = scattered * (1.0 - exp(-depth)) * phase * 0.17;
    vec3 behind = vec3(0.0);
    if (inside > 0.0) behind += inside * surface(n, d);
    if (inside < 1.0) behind += (1.0 - inside) * (galaxy(d) + sun_disc(d));
    light = vec4(behind * exp(-depth) + glow, 1.0);
}
