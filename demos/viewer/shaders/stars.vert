#version 330
// Stars at infinity: only the turning of the camera moves them. The planet and its air hide what is behind them.
#include "view.glsl"
in vec3 direction;
in vec3 flux;  // linear red, green, blue; 1 is as bright as a white screen
out vec3 glow;

void main() {
    gl_Position = (view_projection * vec4(direction, 1.0)).xyww;
    gl_Position.z = 0.0;
    float brightest = max(flux.r, max(flux.g, flux.b));
    gl_PointSize = unit * (3.0 + 2.2 * min(sqrt(brightest) * 0.5, 1.0));
    float along = dot(direction, planet.xyz);
    float miss = sqrt(max(1.0 - along * along, 0.0)) / planet.w;
    glow = flux * (along > 0.0 ? smoothstep(1.005, 1.05, miss) : 1.0);
}
