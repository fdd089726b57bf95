/* The limit: what a careful C programmer gets from the same mathematics on the same rows of numbers.

   A component is a row, a body is a column; rows lie `pitch` numbers apart. Strict float64: each operation rounds once and in the order
   that the engine's kernels use, so the results agree. The loops over bodies are vectorised by the compiler. */

#include <math.h>
#include <stdint.h>

enum {
    POSITION = 0, ORIENTATION = 3, VELOCITY = 7, RATES = 10, STATE_ROWS = 13,
    PREVIOUS = 13,
    FORCE_WORLD = 26, TORQUE_WORLD = 29, FORCE_BODY = 32, TORQUE_BODY = 35,
    INVERSE_MASS = 38, INERTIA = 39, INVERSE_INERTIA = 45, STORED_MOMENTUM = 51, ROWS = 54
};

#if defined(__clang__)
#define EACH_BODY _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_BODY _Pragma("GCC ivdep")
#endif
#define INLINED static inline __attribute__((always_inline))

typedef struct { double x, y, z; } Vector;
typedef struct { double x, y, z, w; } Quaternion;
typedef struct { double xx, yy, zz, xy, xz, yz; } Symmetric;
typedef struct { Vector position; Quaternion orientation; Vector velocity, turning; } State;
typedef struct { Vector force_world, torque_world, force_body, torque_body; } Wrench;
typedef struct { double inverse_mass; Symmetric inertia, inverse_inertia; Vector stored_momentum; } Body;

/* vectors and quaternions, scalar last */

INLINED Vector add(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINED Vector subtract(Vector a, Vector b) { return (Vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINED Vector scale(double s, Vector a) { return (Vector){s * a.x, s * a.y, s * a.z}; }
INLINED Vector add_scaled(Vector a, double s, Vector b) { return (Vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

INLINED Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINED Vector apply(Symmetric m, Vector a) {
    return (Vector){m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
                    m.xz * a.x + m.yz * a.y + m.zz * a.z};
}

INLINED double norm_squared(Quaternion q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }
INLINED Quaternion conjugate(Quaternion q) { return (Quaternion){-q.x, -q.y, -q.z, q.w}; }

INLINED Quaternion add_scaled_quaternion(Quaternion a, double s, Quaternion b) {
    return (Quaternion){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

INLINED Quaternion normalize(Quaternion q) {
    double squared = norm_squared(q), s = 1.0 / sqrt(squared) + (squared - squared);
    return (Quaternion){q.x * s, q.y * s, q.z * s, q.w * s};
}

INLINED Quaternion multiply(Quaternion a, Quaternion b) {
    return (Quaternion){a.w * b.x + b.w * a.x + a.y * b.z - a.z * b.y, a.w * b.y + b.w * a.y + a.z * b.x - a.x * b.z,
                        a.w * b.z + b.w * a.z + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* q v / q, with doubling = 2/|q|^2 */
INLINED Vector rotate(Quaternion q, double doubling, Vector v) {
    Vector u = {q.x, q.y, q.z}, twice = scale(doubling, cross(u, v)), turned = cross(u, twice);
    return (Vector){v.x + (q.w * twice.x + turned.x), v.y + (q.w * twice.y + turned.y), v.z + (q.w * twice.z + turned.z)};
}

INLINED Quaternion rate_of_change(Quaternion q, Vector w) {
    return (Quaternion){0.5 * (q.w * w.x + q.y * w.z - q.z * w.y), 0.5 * (q.w * w.y + q.z * w.x - q.x * w.z),
                        0.5 * (q.w * w.z + q.x * w.y - q.y * w.x), -0.5 * (q.x * w.x + q.y * w.y + q.z * w.z)};
}

/* the library's sine would be called one body at a time */
INLINED void sine_cosine(double angle, double *sine_out, double *cosine_out) {
    const double rounder = 6755399441055744.0;
    double k = (angle * 0.6366197723675814 + rounder) - rounder;
    double r = ((angle - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21, s = r * r;
    double odd = -2.505112794596564e-08 + s * 1.591784866512194e-10;
    odd = 2.755731608382574e-06 + s * odd;
    odd = -0.00019841269836722437 + s * odd;
    odd = 0.008333333333330925 + s * odd;
    odd = -0.16666666666666666 + s * odd;
    double even = 2.0876143829213935e-09 + s * -1.1382456865840483e-11;
    even = -2.755731726001471e-07 + s * even;
    even = 2.480158729874308e-05 + s * even;
    even = -0.0013888888888887382 + s * even;
    even = 0.041666666666666664 + s * even;
    double sine = r + r * (s * odd), cosine = 1.0 - 0.5 * s + s * s * even;
    double quarter = k - 4.0 * ((k * 0.25 - 0.375 + rounder) - rounder);
    int swapped = (quarter == 1.0) | (quarter == 3.0);
    *sine_out = (quarter >= 2.0 ? -1.0 : 1.0) * (swapped ? cosine : sine);
    *cosine_out = ((quarter == 1.0) | (quarter == 2.0) ? -1.0 : 1.0) * (swapped ? sine : cosine);
}

INLINED Quaternion from_rotation_vector(Vector turn) {
    double half_squared = 0.25 * (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), half = sqrt(half_squared), sine, cosine;
    sine_cosine(half, &sine, &cosine);
    double factor = half < 1e-4 ? 0.5 - half_squared * (1.0 / 12.0) : 0.5 * sine / half;
    return (Quaternion){factor * turn.x, factor * turn.y, factor * turn.z, cosine};
}

/* rows to structs and back; `a` points at a body's place in the first row */

INLINED Vector vector_at(const double *a, int64_t pitch, int row) {
    return (Vector){a[row * pitch], a[(row + 1) * pitch], a[(row + 2) * pitch]};
}

INLINED void put_vector(double *a, int64_t pitch, int row, Vector v) {
    a[row * pitch] = v.x, a[(row + 1) * pitch] = v.y, a[(row + 2) * pitch] = v.z;
}

INLINED Symmetric symmetric_at(const double *a, int64_t pitch, int row) {
    Vector on = vector_at(a, pitch, row), off = vector_at(a, pitch, row + 3);
    return (Symmetric){on.x, on.y, on.z, off.x, off.y, off.z};
}

INLINED State state_at(const double *a, int64_t pitch) {
    Vector u = vector_at(a, pitch, ORIENTATION);
    return (State){vector_at(a, pitch, POSITION), {u.x, u.y, u.z, a[(ORIENTATION + 3) * pitch]},
                   vector_at(a, pitch, VELOCITY), vector_at(a, pitch, RATES)};
}

INLINED void put_state(double *a, int64_t pitch, int row, State s) {
    put_vector(a, pitch, row + POSITION, s.position);
    put_vector(a, pitch, row + ORIENTATION, (Vector){s.orientation.x, s.orientation.y, s.orientation.z});
    a[(row + ORIENTATION + 3) * pitch] = s.orientation.w;
    put_vector(a, pitch, row + VELOCITY, s.velocity);
    put_vector(a, pitch, row + RATES, s.turning);
}

INLINED Wrench wrench_at(const double *a, int64_t pitch) {
    return (Wrench){vector_at(a, pitch, FORCE_WORLD), vector_at(a, pitch, TORQUE_WORLD), vector_at(a, pitch, FORCE_BODY),
                    vector_at(a, pitch, TORQUE_BODY)};
}

INLINED Body body_at(const double *a, int64_t pitch) {
    return (Body){a[INVERSE_MASS * pitch], symmetric_at(a, pitch, INERTIA), symmetric_at(a, pitch, INVERSE_INERTIA),
                  vector_at(a, pitch, STORED_MOMENTUM)};
}

INLINED double sum(State s) {
    Vector p = s.position, v = s.velocity, w = s.turning;
    Quaternion q = s.orientation;
    return (0.0 * p.x + 0.0 * p.y + 0.0 * p.z) + (0.0 * q.x + 0.0 * q.y + 0.0 * q.z + 0.0 * q.w)
         + (0.0 * v.x + 0.0 * v.y + 0.0 * v.z) + (0.0 * w.x + 0.0 * w.y + 0.0 * w.z);
}

/* Runge-Kutta of order four: `turning` is the body rates or, with `momentum`, the angular momentum in the world frame */

INLINED Vector momentum_body(Vector rates, Body body) { return add(apply(body.inertia, rates), body.stored_momentum); }

INLINED Vector rates_of(int momentum, Quaternion q, double doubling, Vector turning, Body body) {
    if (!momentum) return turning;
    return apply(body.inverse_inertia, subtract(rotate(conjugate(q), doubling, turning), body.stored_momentum));
}

INLINED State slope(int momentum, State s, Wrench wrench, Body body) {
    double doubling = 2.0 / norm_squared(s.orientation);
    Quaternion q = s.orientation;
    Vector rates = rates_of(momentum, q, doubling, s.turning, body), turning;
    Vector force = add(wrench.force_world, rotate(q, doubling, wrench.force_body));
    if (momentum) {
        turning = add(wrench.torque_world, rotate(q, doubling, wrench.torque_body));
    } else {
        Vector torque = add(wrench.torque_body, rotate(conjugate(q), doubling, wrench.torque_world));
        turning = apply(body.inverse_inertia, subtract(torque, cross(rates, momentum_body(rates, body))));
    }
    return (State){s.velocity, rate_of_change(q, rates), scale(body.inverse_mass, force), turning};
}

INLINED State plus(State a, double s, State b) {
    return (State){add_scaled(a.position, s, b.position), add_scaled_quaternion(a.orientation, s, b.orientation),
                   add_scaled(a.velocity, s, b.velocity), add_scaled(a.turning, s, b.turning)};
}

INLINED State runge_kutta_4(int momentum, double dt, State start, Wrench wrench, Body body) {
    State y = start;
    if (momentum) y.turning = rotate(y.orientation, 2.0 / norm_squared(y.orientation), momentum_body(y.turning, body));
    State k1 = slope(momentum, y, wrench, body);
    State k2 = slope(momentum, plus(y, 0.5 * dt, k1), wrench, body);
    State k3 = slope(momentum, plus(y, 0.5 * dt, k2), wrench, body);
    State k4 = slope(momentum, plus(y, dt, k3), wrench, body);
    State end = plus(y, dt / 6.0, plus(plus(plus(k1, 2.0, k2), 2.0, k3), 1.0, k4));
    end.orientation = normalize(end.orientation);
    end.turning = rates_of(momentum, end.orientation, 2.0 / norm_squared(end.orientation), end.turning, body);
    return end;
}

INLINED State semi_implicit_euler(double dt, State start, Wrench wrench, Body body) {
    Quaternion q = start.orientation;
    Vector force = add(wrench.force_world, rotate(q, 2.0, wrench.force_body));
    Vector torque = add(wrench.torque_body, rotate(conjugate(q), 2.0, wrench.torque_world));
    Vector velocity = add_scaled(start.velocity, dt * body.inverse_mass, force);
    Vector rates = add_scaled(start.turning, dt, apply(body.inverse_inertia, torque));
    Quaternion turn = from_rotation_vector(scale(dt, rates));
    rates = rates_of(1, turn, 2.0, momentum_body(rates, body), body);
    return (State){add_scaled(start.position, dt, velocity), normalize(multiply(q, turn)), velocity, rates};
}

/* What a tick reads and writes, and no more arithmetic than keeps the compiler from leaving reads out. */
INLINED State touched(State start, Wrench wrench, Body body) {
    Vector read = add(add(wrench.force_world, wrench.torque_world), add(wrench.force_body, wrench.torque_body));
    Symmetric i = body.inertia, j = body.inverse_inertia;
    read = add(read, add(body.stored_momentum, (Vector){i.xx + i.xy + j.xx + j.xy, i.yy + i.xz + j.yy + j.xz, i.zz + i.yz + j.zz + j.yz}));
    start.position = add_scaled(start.position, 1e-30 * body.inverse_mass, read);
    start.velocity = add_scaled(start.velocity, 1e-30, read);
    start.turning = add_scaled(start.turning, 1e-30, read);
    start.orientation.w += 1e-30;
    start.orientation.x += 1e-30;
    start.orientation.y += 1e-30;
    start.orientation.z += 1e-30;
    return start;
}

#define TICKS(NAME, ADVANCE)                                                                                           \
    int64_t NAME(double *rows, int64_t pitch, int64_t count, double dt, int64_t ticks) {                               \
        (void)dt;                                                                                                      \
        for (int64_t tick = 0; tick < ticks; tick++) {                                                                 \
            int64_t not_finite = 0;                                                                                    \
            EACH_BODY for (int64_t column = 0; column < count; column++) {                                             \
                double *a = rows + column;                                                                             \
                State start = state_at(a, pitch);                                                                      \
                Wrench wrench = wrench_at(a, pitch);                                                                   \
                Body body = body_at(a, pitch);                                                                         \
                State end = ADVANCE;                                                                                   \
                put_state(a, pitch, PREVIOUS, start);                                                                  \
                put_state(a, pitch, POSITION, end);                                                                    \
                not_finite += sum(end) == 0.0 ? 0 : 1;                                                                 \
            }                                                                                                          \
            if (not_finite) return tick;                                                                               \
        }                                                                                                              \
        return ticks;                                                                                                  \
    }

TICKS(rk4, runge_kutta_4(1, dt, start, wrench, body))
TICKS(rk4_body_rates, runge_kutta_4(0, dt, start, wrench, body))
TICKS(semi_implicit_euler_ticks, semi_implicit_euler(dt, start, wrench, body))
TICKS(touch, touched(start, wrench, body))

/* a = b + s c, the triad of the STREAM benchmark */
void triad(double *restrict a, const double *restrict b, const double *restrict c, double s, int64_t count) {
    for (int64_t i = 0; i < count; i++) a[i] = b[i] + s * c[i];
}
