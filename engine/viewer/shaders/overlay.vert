#version 330
// A rectangle of the screen; the first row of its texture is the top one.
#include "view.glsl"
uniform vec4 place;  // left, top, width, height in pixels
out vec2 uv;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 pixel = place.xy + corner * place.zw;
    uv = corner;
    gl_Position = vec4(pixel.x / viewport.x * 2.0 - 1.0, 1.0 - pixel.y / viewport.y * 2.0, 0.0, 1.0);
}
