#version 330
// Stars at infinity: only the turning of the camera moves them. The planet and its air hide what is behind them.
#include "view.glsl"
in vec3 direction;
in vec3 flux;  // linear red, green, blue; 1 is as bright as a white screen
out vec3 glow;
out float size;  // of the square it is drawn in, pixels of a picture 720 high

void main() {
    gl_Position = (view_projection * vec4(direction, 1.0)).xyww;
    gl_Position.z = 0.0;
    float brightest = max(flux.r, max(flux.g, flux.b));
    size = brightest > 0.6 ? 14.0 : 4.0;
    gl_PointSize = max(unit * size, 3.0);
    float share = unit * size / gl_PointSize;  // in a small picture the spots are larger than they ought to be, and dimmer
    float along = dot(direction, planet.xyz);
    float miss = sqrt(max(1.0 - along * along, 0.0)) / planet.w;
    glow = flux * share * (along > 0.0 ? smoothstep(1.005, 1.05, miss) : 1.0);
}
