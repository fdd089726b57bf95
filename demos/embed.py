"""A moon lander in about 120 lines to copy: pygame, numpy and the engine, no OpenGL, nothing from the other demos.

    python -m demos embed [--seed N] [--size WxH] [--frames N --out FILE.png] [--record FILE.mp4]

Up: engine. Left, right: turn. Set down on the green pad, upright, below 2 m/s; the fuel that is left adds to the
score. Space: next flight. R: the same flight again, from a score of zero. H: show or hide the keys. Escape: end.

In a copy, import from `engine` where this file imports from `.physics`, and start with `pygame.init()` and
`play(Lander(seed=0))`. Only `main`, the command line, needs the other demos.
"""

import numpy as np
import pygame

from .physics import MassProperties, World, flight, forces, rotation  # in a copy: from engine import ...

# Field, pad, and how far the ship and its flames reach [m].
WIDTH, HEIGHT, PAD, REACH = 128, 72, 13.0, 7.0
# Of the Moon [m/s²]; empty ship and fuel [kg]; main engine and each side jet [N]; speed of their gas and of a landing [m/s].
GRAVITY, MASS, FUEL, MAIN, SIDE, EXHAUST, GENTLE = 1.62, 1940.0, 60.0, 7000.0, 500.0, 2942.0, 2.0
WHITE, GREEN, RED, FIRE = (235, 240, 250), (90, 240, 150), (255, 90, 80), (255, 170, 70)
KEYS = "UP: engine     LEFT, RIGHT: turn     SPACE: next flight     R: again     H: hide the keys     ESC: end"

# Outlines in the body frame [m], x to the right, y up, from the lowest layer to the highest.
LEGS = [(-1.1, -0.7), (-2.0, -2.2), (-2.4, -2.2), (-1.4, 0.2), (1.4, 0.2), (2.4, -2.2), (2.0, -2.2), (1.1, -0.7)]
HULL = [(-1.5, -1.0), (1.5, -1.0), (1.7, 0.4), (0.9, 1.6), (-0.9, 1.6), (-1.7, 0.4)]
SHIP = [((115, 122, 140), LEGS), (WHITE, HULL), ((50, 120, 190), [(-0.7, 0.5), (0.7, 0.5), (0.4, 1.2), (-0.4, 1.2)])]

# The main engine, the pair of side jets that turns the ship to the left, and the pair that turns it to the right.
JETS = [(0, -1, 0), (1.9, 0.4, 0), (-1.9, 0.4, 0), (-1.9, 0.4, 0), (1.9, 0.4, 0)]
PUSHES = [(0, 1, 0), (0, 1, 0), (0, -1, 0), (0, 1, 0), (0, -1, 0)]


class Lander:
    """One flight: the world, the ship in it, the ground below; x to the right, y up."""

    def __init__(self, seed: int, score: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        self.pad, start = random.uniform(20.0, WIDTH - 20.0, 2)
        self.ground = moonscape(random, self.pad)
        self.level = self.ground[int(self.pad)]
        self.stars = random.uniform((0, 0, 1), (WIDTH, HEIGHT, 4.5), (240, 3))
        self.seed, self.score, self.result, self.background = seed, score, "", pygame.Surface((0, 0))
        self.world = World(dt=1 / 120)
        self.world.add_force(forces.UniformGravity((0, -GRAVITY, 0)))
        box = MassProperties.box(mass=MASS, size=(3.4, 2.6, 3.4))
        self.ship = self.world.add_body(box, position=(start, 64, 0), velocity=(random.uniform(-6, 6), -1, 0))
        self.tank = self.world.add_part(flight.Tank.ball(self.ship, position=(0, 0, 0), radius=0.9, propellant=FUEL))
        feed = {"tank": self.tank, "specific_impulse": EXHAUST / 9.80665, "max_forces": [MAIN] + 4 * [SIDE]}
        self.jets = self.world.add_force(forces.ThrusterBank(self.ship, positions=JETS, directions=PUSHES, **feed))
        self.world.on_tick(self.watch)

    def steer(self, main: float, turn: float) -> None:
        """Set the main engine, 0 to 1; the side jets bring the ship to a turn rate [rad/s], positive to the left."""
        push = 5.0 * (turn - self.ship.angular_velocity_body[2])
        self.jets.throttle = np.clip([main, push, push, -push, -push], 0.0, float(self.tank.propellant > 0.0))

    def watch(self, world: World) -> None:
        """Before each tick, end the flight if a foot is on the ground."""
        feet = self.ship.to_world([(-2.2, -2.2, 0), (2.2, -2.2, 0)])
        if (feet[:, 1] < np.interp(feet[:, 0], range(WIDTH + 1), self.ground)).any():
            gentle = np.linalg.norm(self.ship.velocity) < GENTLE and self.ship.rotation_matrix[1, 1] > 0.97
            landed = gentle and abs(self.ship.position[0] - self.pad) < PAD / 2
            self.result, self.score = (
                ("LANDED", self.score + 4.0 * self.tank.propellant) if landed else ("CRASHED", 0.0)
            )
            self.jets.throttle, world.paused = 0.0, True

    def fly_itself(self) -> None:
        """One frame of the autopilot, which flies over the pad first and then descends, more slowly near the ground."""
        (x, y, _), (across, climb, _) = self.ship.position, self.ship.velocity
        wanted = -0.6 - 0.15 * (y - self.level - 2.0) if abs(self.pad - x) < 5.0 else 0.3 * (40.0 - y)  # climb [m/s]
        lift = GRAVITY + 1.2 * (wanted - climb)  # [m/s²]
        push = 0.7 * (np.clip(0.25 * (self.pad - x), -7.0, 7.0) - across)  # to the right [m/s²]
        tilt = np.clip(np.arctan2(-push, max(lift, 0.8)), -0.45, 0.45)
        self.steer(self.ship.mass * lift / MAIN, 1.5 * (tilt + np.arcsin(self.ship.rotation_matrix[0, 1])))
        self.world.advance(1 / 60)


def moonscape(random: np.random.Generator, pad: float) -> np.ndarray:
    """Height of the ground at each whole metre [m], level around the pad."""
    x = np.arange(WIDTH + 1)
    ground = np.maximum(14 + sum(8 / n * np.sin(0.06 * x * n**1.4 + random.uniform(0, 7)) for n in range(1, 9)), 3)
    return np.where(abs(x - pad) < 0.7 * PAD, np.interp(pad, x, ground), ground)


def draw(game: Lander, screen: pygame.Surface, words: str = "") -> None:
    """Draw the current frame, as large as fits on the screen, with these words at its foot."""
    screen.fill("black")
    view = screen.subsurface(pygame.Rect(0, 0, WIDTH, HEIGHT).fit(screen.get_rect()))
    if game.background.get_size() != view.get_size():
        game.background = draw_moon(game, *view.get_size())
    view.blit(game.background, (0, 0))
    draw_ship(game, view)
    across, climb, _ = game.ship.velocity
    text = f"score {game.score:.0f}     fuel {game.tank.propellant:.1f} kg     across {across:+.1f} m/s     up {climb:+.1f} m/s"
    flying, ended = GREEN if np.hypot(across, climb) < GENTLE else FIRE, GREEN if game.result == "LANDED" else RED
    lines = [(text, flying, 20, 2.8, 2.4), (game.result, ended, 6, 45, 16), (words, WHITE, 20, 2.8, 68)]
    for line, colour, part, x, y in lines:
        font = pygame.font.Font(None, view.get_height() // part)
        view.blit(font.render(line, True, colour), np.multiply((x, y), view.get_width() / WIDTH))


def draw_moon(game: Lander, width: int, height: int) -> pygame.Surface:
    """What never moves and is drawn once: the night sky, the mountains far away, the ground with its bright edge, the pad."""
    canvas, scale = pygame.Surface((2 * width, 2 * height)), 2 * width / WIDTH  # drawn double, in pixels per metre
    for row in range(0, 1440, 10):
        canvas.fill((8 + row // 90, 10 + row // 60, 24 + row // 28), (0, row * height // 720, 2 * width, height))
    for x, y, size in game.stars:
        pygame.draw.circle(canvas, (60 + 40 * size,) * 3, (scale * x, scale * y), size * scale / 20)
    for colour, shift, rise in (((24, 32, 58), 45, 9.0), ((170, 175, 190), 0, 0.25), ((56, 58, 70), 0, 0.0)):
        fill(canvas, colour, [*enumerate(np.roll(game.ground, shift) + rise), (WIDTH, 0), (0, 0)], (0, HEIGHT), scale)
    pygame.draw.rect(canvas, GREEN, np.multiply(scale, (game.pad - PAD / 2, HEIGHT - game.level, PAD, 0.5)))
    return pygame.transform.smoothscale(canvas, (width, height))


def draw_ship(game: Lander, view: pygame.Surface) -> None:
    """Draw the ship at its pose between two ticks, over the flames of its jets."""
    main, left, _, right, _ = game.jets.throttle
    tip = -1.2 - main * (4.6 + 0.6 * np.sin(70.0 * game.world.time))
    burn = [(FIRE, [(-0.8, -0.9), (0.8, -0.9), (0, tip)]), (WHITE, [(-0.4, -1), (0.4, -1), (0, tip / 2)])]
    puff = [(WHITE, [(1.7 * s, 0.2), (2.1 * s, 0.2), (1.9 * s, 0.2 - 2 * t)]) for s, t in ((1, left), (-1, right))]
    origin, orientation = game.ship.interpolated_pose()
    turn, scale = rotation.to_matrix(orientation)[:2, :2].T, view.get_width() / WIDTH
    # A transparent canvas around the ship, double too. Smoothed, its colours are premultiplied by their opacity.
    x, y = (int(scale * metres) for metres in (origin[0] - REACH, HEIGHT - origin[1] - REACH))
    size, corner = int(2 * REACH * scale) + 2, (x / scale, HEIGHT - y / scale)
    canvas = pygame.Surface((2 * size, 2 * size), pygame.SRCALPHA)
    for colour, outline in burn + puff + SHIP:
        fill(canvas, colour, outline @ turn + origin[:2], corner, 2 * scale)
    view.blit(pygame.transform.smoothscale(canvas, (size, size)), (x, y), special_flags=pygame.BLEND_PREMULTIPLIED)


def fill(canvas: pygame.Surface, colour: tuple, outline: list, corner: tuple[float, float], scale: float) -> None:
    """A polygon in the world frame [m], on a canvas whose left upper corner lies there [m], with so many pixels per metre."""
    pygame.draw.polygon(canvas, colour, np.subtract(outline, corner) * (scale, -scale))


def play(game: Lander, size: tuple[int, int] = (1280, 720)) -> None:
    """The game loop: keys, whole ticks for the elapsed wall time, a frame."""
    screen, keys_shown = pygame.display.set_mode(size, pygame.RESIZABLE), True
    draw(game, screen, "The first start compiles the physics, which takes a few seconds.")
    pygame.display.flip()
    clock = pygame.time.Clock()
    while True:
        for event in pygame.event.get():
            key = event.key if event.type == pygame.KEYDOWN else None
            if event.type == pygame.QUIT or key == pygame.K_ESCAPE:
                return
            if key == pygame.K_h:
                keys_shown = not keys_shown
            if key == pygame.K_r:
                game = Lander(game.seed)
            if key == pygame.K_SPACE and game.result:
                game = Lander(pygame.time.get_ticks(), game.score)
        held = pygame.key.get_pressed()
        if not game.result:
            game.steer(held[pygame.K_UP], 0.9 * (held[pygame.K_LEFT] - held[pygame.K_RIGHT]))
        game.world.advance(clock.tick(60) / 1000)
        draw(game, screen, KEYS if keys_shown else "")
        pygame.display.flip()


def main(arguments: list[str] | None = None) -> int:
    """The command line of the demos."""
    from .running import surface_game

    return surface_game.main("embed", Lander, draw, play, check, arguments)


def check() -> list[str]:
    """A burn of two seconds, upright, against the rocket equation, h = u (t − m/ṁ ln(m₀/m)) − g t²/2 (order two in the tick)."""
    game, flow, start = Lander(0), 0.7 * MAIN / EXHAUST, MASS + FUEL  # [kg/s], [kg]
    height = EXHAUST * (2.0 - (start / flow - 2.0) * np.log(start / (start - 2.0 * flow))) - 2.0 * GRAVITY
    expected = [*(game.ship.position + 2.0 * game.ship.velocity + (0.0, height, 0.0)), FUEL - 2.0 * flow]
    game.steer(0.7, 0.0)
    game.world.step(240)
    found = [*game.ship.position, game.tank.propellant]
    assert np.abs(np.subtract(found, expected)).max() < 1e-7, (found, expected)
    return ["a burn of 2 s follows the rocket equation to 1e-7 m"]
