"""A moon lander in a hundred lines to copy: pygame, numpy and the engine, no OpenGL, nothing from the other demos.

    python -m demos embed [--seed N] [--size WxH] [--frames N --out FILE.png] [--record FILE.mp4]

Up: engine. Left, right: turn. Set down on the green pad, upright, below 2 m/s; the fuel left scores. Space: next.
In a copy, import from `engine` where this file imports from `.physics`, and start with `pygame.init()` and
`play(Lander(seed=0))`. Only `main`, the command line, needs the other demos.
"""

import numpy as np
import pygame

from .physics import MassProperties, World, forces, rotation  # in a copy: from engine import ...

# Field and pad [m]; pixels a metre of the canvas, which is drawn twice as large as the window and smoothed down.
WIDTH, HEIGHT, PAD, SCALE = 128, 72, 13.0, 20
# Of the Moon [m/s²]; of the ship [kg]; of the main engine and of each side jet [N]; seconds at full thrust; [m/s].
GRAVITY, MASS, MAIN, SIDE, FUEL, GENTLE = 1.62, 2000.0, 7000.0, 500.0, 24.0, 2.0
WHITE, GREEN, RED, FIRE = (235, 240, 250), (90, 240, 150), (255, 90, 80), (255, 170, 70)

# Outlines in body axes [m], x to the right, y up, from the lowest layer to the highest.
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
        self.fuel, self.score, self.result = FUEL, score, ""
        self.world = World(dt=1 / 120)
        self.world.add_force(forces.UniformGravity((0, -GRAVITY, 0)))
        box = MassProperties.box(mass=MASS, size=(3.4, 2.6, 3.4))
        self.ship = self.world.add_body(box, position=(start, 64, 0), velocity=(random.uniform(-6, 6), -1, 0))
        jets = forces.ThrusterBank(self.ship, positions=JETS, directions=PUSHES, max_forces=[MAIN] + 4 * [SIDE])
        self.jets = self.world.add_force(jets)
        self.world.on_tick(self.watch)

    def steer(self, main: float, turn: float) -> None:
        """Set the main engine, 0 to 1; the side jets bring the ship to a turn rate [rad/s], positive to the left."""
        push = 5.0 * (turn - self.ship.angular_velocity_body[2])
        self.jets.throttle = np.clip([main * (self.fuel > 0.0), push, push, -push, -push], 0.0, 1.0)

    def watch(self, world: World) -> None:
        """Before each tick, burn fuel, and end the flight if a foot is on the ground."""
        self.fuel = max(self.fuel - self.jets.throttle[0] * world.dt, 0.0)
        feet = self.ship.to_world([(-2.2, -2.2, 0), (2.2, -2.2, 0)])
        if (feet[:, 1] < np.interp(feet[:, 0], range(WIDTH + 1), self.ground)).any():
            gentle = np.linalg.norm(self.ship.velocity) < GENTLE and self.ship.rotation_matrix[1, 1] > 0.97
            landed = gentle and abs(self.ship.position[0] - self.pad) < PAD / 2
            self.result, self.score = ("LANDED", self.score + 10.0 * self.fuel) if landed else ("CRASHED", 0.0)
            self.jets.throttle, world.paused = 0.0, True

    def fly_itself(self) -> None:
        """One frame of the autopilot, which flies over the pad first and then descends, more slowly near the ground."""
        (x, y, _), (across, climb, _) = self.ship.position, self.ship.velocity
        wanted = -0.6 - 0.15 * (y - self.level - 2.0) if abs(self.pad - x) < 5.0 else 0.3 * (40.0 - y)  # climb [m/s]
        lift = GRAVITY + 1.2 * (wanted - climb)  # [m/s²]
        push = 0.7 * (np.clip(0.25 * (self.pad - x), -7.0, 7.0) - across)  # to the right [m/s²]
        tilt = np.clip(np.arctan2(-push, max(lift, 0.8)), -0.45, 0.45)
        self.steer(MASS * lift / MAIN, 1.5 * (tilt + np.arcsin(self.ship.rotation_matrix[0, 1])))
        self.world.advance(1 / 60)


def moonscape(random: np.random.Generator, pad: float) -> np.ndarray:
    """Height of the ground at each whole metre [m], level around the pad."""
    x = np.arange(WIDTH + 1)
    ground = np.maximum(14 + sum(8 / n * np.sin(0.06 * x * n**1.4 + random.uniform(0, 7)) for n in range(1, 9)), 3)
    return np.where(abs(x - pad) < 0.7 * PAD, np.interp(pad, x, ground), ground)


def draw(game: Lander, screen: pygame.Surface) -> None:
    """Draw the current frame, as large as fits on the screen."""
    canvas = pygame.Surface((WIDTH * SCALE, HEIGHT * SCALE))
    draw_moon(canvas, game)
    draw_ship(canvas, game)
    across, climb, _ = game.ship.velocity
    text = f"score {game.score:.0f}     fuel {game.fuel:.1f} s     across {across:+.1f} m/s     up {climb:+.1f} m/s"
    small, large = pygame.font.Font(None, 72), pygame.font.Font(None, 240)
    canvas.blit(small.render(text, True, GREEN if np.hypot(across, climb) < GENTLE else FIRE), (56, 48))
    canvas.blit(large.render(game.result, True, GREEN if game.result == "LANDED" else RED), (900, 320))
    place = canvas.get_rect().fit(screen.get_rect())
    screen.fill("black")
    screen.blit(pygame.transform.smoothscale(canvas, place.size), place)


def draw_moon(canvas: pygame.Surface, game: Lander) -> None:
    """The night sky, the mountains far away, the ground with its bright edge, the pad."""
    for row in range(0, HEIGHT * SCALE, 10):
        canvas.fill((8 + row // 90, 10 + row // 60, 24 + row // 28), (0, row, WIDTH * SCALE, 10))
    for x, y, size in game.stars:
        pygame.draw.circle(canvas, (60 + 40 * size,) * 3, (SCALE * x, SCALE * y), size)
    for colour, shift, rise in (((24, 32, 58), 45, 9.0), ((170, 175, 190), 0, 0.25), ((56, 58, 70), 0, 0.0)):
        fill(canvas, colour, [*enumerate(np.roll(game.ground, shift) + rise), (WIDTH, 0), (0, 0)])
    pygame.draw.rect(canvas, GREEN, np.multiply(SCALE, (game.pad - PAD / 2, HEIGHT - game.level, PAD, 0.5)))


def draw_ship(canvas: pygame.Surface, game: Lander) -> None:
    """Draw the ship at its pose between two ticks, over the flames of its jets."""
    main, left, _, right, _ = game.jets.throttle
    tip = -1.2 - main * (4.6 + 0.6 * np.sin(70.0 * game.world.time))
    burn = [(FIRE, [(-0.8, -0.9), (0.8, -0.9), (0, tip)]), (WHITE, [(-0.4, -1), (0.4, -1), (0, tip / 2)])]
    puff = [(WHITE, [(1.7 * s, 0.2), (2.1 * s, 0.2), (1.9 * s, 0.2 - 2 * t)]) for s, t in ((1, left), (-1, right))]
    origin, orientation = game.ship.interpolated_pose()
    for colour, outline in burn + puff + SHIP:
        fill(canvas, colour, outline @ rotation.to_matrix(orientation)[:2, :2].T + origin[:2])


def fill(canvas: pygame.Surface, colour: tuple, outline: list) -> None:
    """A polygon, its corners in world axes [m]."""
    pygame.draw.polygon(canvas, colour, (np.array(outline) * (1, -1) + (0, HEIGHT)) * SCALE)


def play(game: Lander, size: tuple[int, int] = (1280, 720)) -> None:
    """The game loop: keys, whole ticks for the elapsed wall time, a frame."""
    screen, clock = pygame.display.set_mode(size, pygame.RESIZABLE), pygame.time.Clock()
    while all(event.type != pygame.QUIT for event in pygame.event.get()):
        keys = pygame.key.get_pressed()
        if not game.result:
            game.steer(keys[pygame.K_UP], 0.9 * (keys[pygame.K_LEFT] - keys[pygame.K_RIGHT]))
        elif keys[pygame.K_SPACE]:
            game = Lander(pygame.time.get_ticks(), game.score)
        game.world.advance(clock.tick(60) / 1000)
        draw(game, screen)
        pygame.display.flip()


def main(arguments: list[str] | None = None) -> int:
    """The command line of the demos."""
    from .viewer.run import surface_game

    return surface_game.main("embed", Lander, draw, play, check, arguments)


def check() -> list[str]:
    """A burn of two seconds, upright, against h = (F/m − g) t²/2."""
    game = Lander(0)
    expected = game.ship.position + 2.0 * game.ship.velocity + (0.0, 2.0 * (0.7 * MAIN / MASS - GRAVITY), 0.0)
    game.steer(0.7, 0.0)
    game.world.step(240)
    assert abs(game.ship.position - expected).max() < 1e-9, (game.ship.position, expected)
    return ["a burn of 2 s follows its closed form to 1e-9 m"]
