// What is painted, glued or crumpled onto a surface; the numbers are those of mesh_builder.py.
const int CELLS = 1, FOIL = 2, SEAMS = 3, GLOW = 4;

struct Surface {
    vec3 normal;  // unit, towards the viewer
    vec3 base;    // linear colour
    float metallic, roughness;
    float coat;   // of clear glass or varnish, 0 to 1
};

// From 0 to 1, the same on every driver, as sines of large numbers are not.
float hash(vec2 cell, float number) { return lattice(ivec3(vec3(cell, number))); }

// How the facet of crumpled foil at this place leans, each way from -0.5 to 0.5: that of the nearest of points strewn over a grid.
vec2 facet(vec2 p) {
    vec2 cell = floor(p), lean = vec2(0.0);
    float nearest = 9.0;
    for (int i = 0; i < 9; ++i) {
        vec2 other = cell + vec2(i % 3 - 1, i / 3 - 1);
        vec2 seed = vec2(hash(other, 0.0), hash(other, 1.0));
        vec2 away = other + seed - p;
        float distance_squared = dot(away, away);
        if (distance_squared < nearest) {
            nearest = distance_squared;
            lean = fract(seed * 7.31 + seed.yx * 3.7) - 0.5 + 0.5 * away;
        }
    }
    return lean;
}

// 1 on a line of this width around whole multiples of the spacing, its edge as soft as a pixel.
float grid(float x, float spacing, float width) {
    float away = abs(fract(x / spacing + 0.5) - 0.5) * spacing;
    float soft = fwidth(x) + 1e-5;
    return (1.0 - smoothstep(width - soft, width + soft, away)) * min(1.0, width * 2.0 / soft);
}

void solar_cells(inout Surface s, vec2 at) {
    float fine = max(grid(at.x, 0.125, 0.004), grid(at.y, 0.17, 0.004));
    float bus = max(grid(at.x, 0.5, 0.010), grid(at.y, 0.51, 0.010));
    s.base *= 0.82 + 0.36 * hash(floor(vec2(at.x / 0.125 + 0.5, at.y / 0.17 + 0.5)), 0.0);
    s.base = mix(s.base, vec3(0.42, 0.46, 0.52), clamp(0.45 * fine + bus, 0.0, 1.0));
    s.coat = 1.0;
}

void foil(inout Surface s, vec2 at) {
    vec2 bent = at + 0.06 * sin(at.yx * 9.0);
    vec2 lean = 0.8 * facet(bent * 4.5) + 0.5 * facet(bent.yx * 12.0 + 3.7);
    vec3 side = normalize(cross(s.normal, vec3(0.31, 0.22, 0.93)));
    s.normal = normalize(s.normal + 0.38 * (lean.x * side + lean.y * cross(s.normal, side)));
}

void seams(inout Surface s, vec2 at) {
    float seam = max(grid(at.x, 0.785398, 0.006), grid(at.y + 0.2, 0.45, 0.006));
    s.base *= (1.0 - 0.55 * seam) * (0.94 + 0.10 * hash(floor(vec2(at.x / 0.785398 + 0.5, (at.y + 0.2) / 0.45 + 0.5)), 0.0));
}
