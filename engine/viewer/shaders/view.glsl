// What every shader knows of the frame; `view.py` packs it. World axes; positions relative to the eye, metres.
const float PI = 3.14159265;
const vec3 SUNLIGHT = vec3(3.75, 3.55, 3.25);  // irradiance; a white wall that faces the sun shines with this over π

layout(std140) uniform View {
    mat4 view_projection;
    mat4 sun_map;     // to the shadow map, each coordinate from −1 to 1
    vec4 sun;         // direction of the sun, unit; shadow texels in a metre, 0 without shadows
    vec4 planet;      // direction of its middle from everywhere, unit; its radius over its distance
    vec4 forward;     // line of sight, unit; distance of what is looked at, metres
    vec4 right, up;   // as long as half the picture is wide and high, at unit distance
    vec2 viewport;    // pixels
    float unit;       // pixels in one of a picture 720 high
    vec4 flames[4];   // lights that gas gives: place relative to the eye, strength in m²; the strongest first
};
