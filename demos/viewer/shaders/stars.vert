#version 330
// Stars at infinity: only the turning of the camera moves them.
uniform mat4 view_projection;
uniform float pixel_scale;
uniform vec4 planet;  // as in sky.frag; it hides what is behind it
in vec3 direction;
in vec4 light;  // colour, and brightness from 0 to 1
out vec4 glow;

void main() {
    gl_Position = (view_projection * vec4(direction, 1.0)).xyww;
    gl_PointSize = (1.6 + 2.6 * light.a * light.a) * pixel_scale;
    float along = dot(direction, planet.xyz);
    bool hidden = along > 0.0 && 1.0 - along * along < planet.w * planet.w;
    glow = hidden ? vec4(0.0) : light;
}
