// A filmic curve from light to the colours of the screen, their gamma included (Hejl and Burgess-Dawson's fit): straight in the shadows,
// bending over towards white; and the way back, for what must keep its colour.
const float EXPOSURE = 1.45;

vec3 filmic(vec3 light) {
    vec3 x = max(EXPOSURE * light - 0.004, 0.0);
    return x * (6.2 * x + 0.5) / (x * (6.2 * x + 1.7) + 0.06);
}

// Light that becomes this colour. White would need infinite light: it stops a little short.
vec3 luminous(vec3 screen_colour) {
    vec3 y = min(screen_colour, 0.94);
    vec3 a = 6.2 - 6.2 * y, b = 0.5 - 1.7 * y;
    return ((sqrt(b * b + 0.24 * a * y) - b) / (2.0 * a) + 0.004) / EXPOSURE;
}
