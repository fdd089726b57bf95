#version 330
// A dart, narrow at the nose, with edges as soft as a pixel.
in vec4 colour;
flat in vec2 nose;
flat in vec2 square_width;
out vec4 light;

void main() {
    vec2 place = (gl_PointCoord - 0.5) * square_width.x;
    float along = clamp(dot(place, nose) / max(dot(nose, nose), 0.01), -1.0, 1.0);
    float half_width = square_width.y * (1.0 - 0.75 * along);
    light = colour * clamp(half_width + 0.5 - length(place - along * nose), 0.0, 1.0);
}
