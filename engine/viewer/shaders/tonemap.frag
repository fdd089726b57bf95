#version 330
// From light to the screen: what is near over what lies at infinity, bloom, the filmic curve, and noise against banding.
#include "filmic.glsl"
uniform sampler2D foreground;  // premultiplied by its coverage
uniform sampler2D backdrop;
uniform sampler2D bloom;
uniform float bloom_strength;
in vec2 uv;
out vec4 colour;

// Evenly spread noise from 0 to 1 (Jimenez's interleaved gradient noise).
float grain(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 near = texelFetch(foreground, pixel, 0);
    vec3 light = near.rgb + texelFetch(backdrop, pixel, 0).rgb * (1.0 - near.a);
    if (bloom_strength > 0.0) light += bloom_strength * texture(bloom, uv).rgb;
    vec2 corner = uv - 0.5;
    light *= 1.0 - 0.35 * dot(corner, corner);
    colour = vec4(filmic(light) + (grain(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
