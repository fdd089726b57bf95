// Smooth value noise in three dimensions from integer hashes: the same on every machine, however far out.
float lattice(ivec3 p) {
    uint h = uint(p.x) * 0x8da6b343u ^ uint(p.y) * 0xd8163841u ^ uint(p.z) * 0xcb1ab31fu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return float((h ^ (h >> 13)) & 0xffffu) / 65535.0;
}

float noise(vec3 p) {
    vec3 cell = floor(p), f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    ivec3 i = ivec3(cell);
    const ivec2 o = ivec2(0, 1);
    vec4 near = vec4(lattice(i), lattice(i + o.yxx), lattice(i + o.xyx), lattice(i + o.yyx));
    vec4 far = vec4(lattice(i + o.xxy), lattice(i + o.yxy), lattice(i + o.xyy), lattice(i + o.yyy));
    vec4 level = mix(near, far, f.z);
    vec2 row = mix(level.xz, level.yw, f.x);
    return mix(row.x, row.y, f.y);
}

// Octaves of noise from 0 to 1, rough as coasts and clouds are, each turned against the one before so that no lattice shows.
float cascade(vec3 p, int octaves) {
    const mat3 TURN = 2.07 * mat3(0.36, 0.48, -0.80, -0.80, 0.60, 0.0, 0.48, 0.64, 0.60);
    float sum = 0.0, weight = 1.0, total = 0.0;
    for (int i = 0; i < octaves; ++i) {
        sum += weight * noise(p);
        p = TURN * p + 17.3;
        total += weight;
        weight *= 0.56;
    }
    return sum / total;
}
