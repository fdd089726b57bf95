#version 330
// Glowing gas as a row of soft clouds, growing and cooling away from the nozzle. The light of a Gaussian cloud along a line of sight has a
// closed form, so the plume is the same from every side, and needs no sampling.
in vec3 sight;
flat in vec3 exit_at, axis;
flat in vec3 shape;
out vec4 light;

const int CLOUDS = 9;
const float SQUEEZE = 0.42;  // clouds are longer along the axis than across it by its inverse

vec3 squeezed(vec3 v) { return v - axis * dot(v, axis) * (1.0 - SQUEEZE); }

void main() {
    vec3 d = squeezed(normalize(sight));
    float path = 1.0 / length(d);
    d *= path;
    vec3 start = squeezed(exit_at), stride = SQUEEZE * axis;
    start -= d * dot(start, d);
    stride -= d * dot(stride, d);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < CLOUDS; ++i) {
        float s = (float(i) + 0.35) / float(CLOUDS), along = shape.y * s * sqrt(s);
        float size = shape.x * (0.50 + 0.2 * s) + 0.050 * along;
        vec3 away = start + along * stride;
        float cloud = exp(-dot(away, away) / (size * size)) * path;
        float cooling = (1.0 - s) * (1.0 - s) * shape.x / size;
        sum += cloud * cooling * mix(vec3(1.25, 1.40, 1.75), vec3(0.09, 0.28, 1.10), smoothstep(0.0, 0.26, s));
    }
    light = vec4(sum * (0.25 + 0.75 * shape.z), 0.0);
}
