"""A moon lander in about 180 lines to copy: pygame, numpy and the engine, no OpenGL, nothing from the other demos.

    python -m demos embed [--seed N] [--size WxH] [--frames N --out FILE.png] [--record FILE.mp4]

Up: engine. Left, right: turn. Set down on the green pad, upright, below 2 m/s; the fuel that is left adds to the
score. The dots are the path of the next seconds. The autopilot flies until the first of these keys. Space: next
flight. R: the same flight again, from a score of zero. H: show or hide the keys. Escape: end.

In a copy, import from `engine` where this file imports from `.physics`, and start with `pygame.init()` and
`play(Lander(seed=0))`. Only `main`, the command line, needs the other demos.
"""

import numpy as np
import pygame

from .physics import MassProperties, World, flight, forces, rotation  # in a copy: from engine import ...

# Field, pad, and how far the ship and its flames reach [m].
WIDTH, HEIGHT, PAD, REACH = 96, 54, 18.0, 17.0
# Of the Moon [m/s²]; empty ship and fuel [kg]; main engine and each side jet [N]; speed of their gas and of a landing [m/s].
GRAVITY, MASS, FUEL, MAIN, SIDE, EXHAUST, GENTLE = 1.62, 6500.0, 220.0, 24e3, 4e3, 2942.0, 2.0
WHITE, GREEN, RED, FIRE, DUST = (235, 240, 250), (90, 240, 150), (255, 90, 80), (255, 150, 50), (205, 198, 188)
KEYS = "UP: engine     LEFT, RIGHT: turn     SPACE: next flight     R: again     H: hide the keys     ESC: end"

# Outlines in the body frame [m], x to the right, y up, from the lowest layer to the highest.
LEGS = [(-2.4, -1.5), (-4.4, -4.8), (-5.5, -4.8), (-3.1, 0.4), (3.1, 0.4), (5.5, -4.8), (4.4, -4.8), (2.4, -1.5)]
STAGE = [(-3.4, -2.2), (3.4, -2.2), (3.8, 0.4), (-3.8, 0.4)]
CABIN = [(-2.6, 0.4), (2.6, 0.4), (2.9, 1.6), (2.0, 3.5), (-2.0, 3.5), (-2.9, 1.6)]
PANE = [(0.3, 1.3), (1.9, 1.3), (1.3, 2.7), (0.3, 2.7)]
BELL = [(-0.7, -2.1), (0.7, -2.1), (1.5, -3.4), (-1.5, -3.4)]
SHADE = [(-3.8, 0.4), (-3.4, -2.2), (-1.2, -2.2), (-1.6, 0.4)]
SHIP = [((120, 126, 142), LEGS), ((74, 74, 84), BELL), ((196, 150, 62), STAGE), ((142, 102, 38), SHADE), (WHITE, CABIN)]
SHIP += [((32, 58, 96), PANE), ((32, 58, 96), [(-x, y) for x, y in PANE])]
FOOT = 4.8  # of the ship below its mass centre [m]

# The main engine, the pair of side jets that turns the ship to the left, and the pair that turns it to the right.
JETS = [(0, -3.4, 0), (4, 0.9, 0), (-4, 0.9, 0), (-4, 0.9, 0), (4, 0.9, 0)]
PUSHES = [(0, 1, 0), (0, 1, 0), (0, -1, 0), (0, 1, 0), (0, -1, 0)]


class Lander:
    """One flight: the world, the ship in it, the ground below; x to the right, y up."""

    def __init__(self, seed: int, score: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        self.pad, start = random.uniform(20.0, WIDTH - 20.0, 2)
        self.ground, self.far = moonscape(random, self.pad), [moonscape(random) + rise for rise in (13.0, 6.0)]
        self.level = self.ground[int(self.pad)]
        self.stars = random.uniform((0, 0, 1), (WIDTH, HEIGHT, 4.0), (260, 3))
        self.seed, self.score, self.result, self.manual = seed, score, "", False
        self.background = pygame.Surface((0, 0))
        self.world = World(dt=1 / 120)
        self.world.add_force(forces.UniformGravity((0, -GRAVITY, 0)))
        box = MassProperties.box(mass=MASS, size=(7.4, 5.7, 7.4))
        self.ship = self.world.add_body(box, position=(start, 47, 0), velocity=(random.uniform(-4, 4), -1, 0))
        self.tank = self.world.add_part(flight.Tank.ball(self.ship, position=(0, 0, 0), radius=1.4, propellant=FUEL))
        feed = {"tank": self.tank, "specific_impulse": EXHAUST / 9.80665, "max_forces": [MAIN] + 4 * [SIDE]}
        self.jets = self.world.add_force(forces.ThrusterBank(self.ship, positions=JETS, directions=PUSHES, **feed))
        self.world.on_tick(self.watch)

    def steer(self, main: float, turn: float) -> None:
        """Set the main engine, 0 to 1; the side jets bring the ship to a turn rate [rad/s], positive to the left."""
        push = 5.0 * (turn - self.ship.angular_velocity_body[2])
        self.jets.throttle = np.clip([main, push, push, -push, -push], 0.0, float(self.tank.propellant > 0.0))

    def watch(self, world: World) -> None:
        """Before each tick, end the flight if a foot is on the ground."""
        feet = self.ship.to_world([(-5, -FOOT, 0), (5, -FOOT, 0)])
        if (feet[:, 1] < np.interp(feet[:, 0], range(WIDTH + 1), self.ground)).any():
            gentle = np.linalg.norm(self.ship.velocity) < GENTLE and self.ship.rotation_matrix[1, 1] > 0.97
            landed = gentle and abs(self.ship.position[0] - self.pad) < PAD / 2
            self.result, self.score = ("LANDED", self.score + self.tank.propellant) if landed else ("CRASHED", 0.0)
            self.jets.throttle, world.paused = 0.0, True

    def steer_itself(self) -> None:
        """The autopilot, which flies over the pad first and then descends, more slowly near the ground."""
        (x, y, _), (across, climb, _) = self.ship.position, self.ship.velocity
        over = abs(self.pad - x) < 5.0
        wanted = -0.6 - 0.15 * (y - self.level - FOOT) if over else 0.3 * (36.0 - y)  # climb [m/s]
        lift = GRAVITY + 1.2 * (wanted - climb)  # [m/s²]
        push = 0.7 * (np.clip(0.25 * (self.pad - x), -6.0, 6.0) - across)  # to the right [m/s²]
        tilt = np.clip(np.arctan2(-push, max(lift, 0.8)), -0.45, 0.45)
        self.steer(self.ship.mass * lift / MAIN, 1.5 * (tilt + np.arcsin(self.ship.rotation_matrix[0, 1])))

    def fly_itself(self) -> None:
        """One frame of the autopilot."""
        self.steer_itself()
        self.world.advance(1 / 60)


def moonscape(random: np.random.Generator, pad: float | None = None) -> np.ndarray:
    """Height of the ground at each whole metre [m], level around the pad if there is one."""
    x = np.arange(WIDTH + 1)
    waves = (5 / n * np.sin(0.07 * x * n**1.4 + random.uniform(0, 7)) for n in range(1, 10))
    ground = np.maximum(9 + sum(waves), 3)
    if pad is None:
        return ground
    level, beside = np.interp(pad, x, ground), np.clip(abs(x - pad) / PAD - 0.6, 0.0, 1.0)
    return level + np.minimum(1.6 * beside, 1.0) * (ground - level)


def signed(value: float) -> str:
    """A number with its sign, unless it is rounded to zero."""
    text = f"{value:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def draw(game: Lander, screen: pygame.Surface, words: str = "") -> None:
    """Draw the current frame, as large as fits on the screen, with these words at its foot."""
    screen.fill("black")
    view = screen.subsurface(pygame.Rect(0, 0, WIDTH, HEIGHT).fit(screen.get_rect()))
    if game.background.get_size() != view.get_size():
        game.background = draw_moon(game, *view.get_size())
    view.blit(game.background, (0, 0))
    draw_path(game, view)
    draw_ship(game, view)
    across, climb, _ = game.ship.velocity
    text = f"score {game.score:.0f}     fuel {game.tank.propellant:.0f} kg     across {signed(across)} m/s     up {signed(climb)} m/s"
    text += "" if game.manual else "     autopilot"
    flying, ended = GREEN if np.hypot(across, climb) < GENTLE else FIRE, GREEN if game.result == "LANDED" else RED
    lines = [(text, flying, 18, 2, 1.8), (game.result, ended, 6, 33, 13), (words, WHITE, 20, 2, 51)]
    for line, colour, part, x, y in lines:
        font = pygame.font.Font(None, view.get_height() // part)
        view.blit(font.render(line, True, colour), np.multiply((x, y), view.get_width() / WIDTH))


def draw_moon(game: Lander, width: int, height: int) -> pygame.Surface:
    """What never moves and is drawn once: the night sky, the mountains far away, the ground with its bright edge, the pad."""
    canvas, scale = pygame.Surface((2 * width, 2 * height)), 2 * width / WIDTH  # drawn double, in pixels per metre
    for row in range(0, 2 * height, 4):
        shade = row / (2 * height)
        canvas.fill((8 + 14 * shade, 10 + 20 * shade, 22 + 44 * shade), (0, row, 2 * width, 4))
    for x, y, size in game.stars:
        pygame.draw.circle(canvas, (60 + 40 * size,) * 3, (scale * x, scale * y), size * scale / 24)
    arc = np.linspace(-np.pi / 2, np.pi / 2, 40)
    night = [*zip(np.cos(arc), np.sin(arc), strict=True), *zip(-0.2 * np.cos(arc), -np.sin(arc), strict=True)]
    for radius, colour in ((3.9, (22, 32, 62)), (3.5, (34, 56, 104)), (3.2, (92, 150, 214))):  # the Earth
        pygame.draw.circle(canvas, colour, (scale * (WIDTH - 14), scale * 11), scale * radius)
    fill(canvas, (16, 24, 48), np.add(np.multiply(night, 3.25), (WIDTH - 14, HEIGHT - 11)), (0, HEIGHT), scale)
    layers = [((26, 32, 56), game.far[0], 0), ((44, 48, 72), game.far[1], 0)]
    depths = (
        (0.3, (190, 188, 192)),
        (0, (128, 126, 132)),
        (-1, (108, 106, 114)),
        (-3, (86, 84, 94)),
        (-6, (64, 63, 74)),
    )
    layers += [(colour, game.ground, shift) for shift, colour in depths]
    for colour, heights, shift in layers:
        fill(canvas, colour, [*enumerate(heights + shift), (WIDTH, 0), (0, 0)], (0, HEIGHT), scale)
    pygame.draw.rect(canvas, GREEN, np.multiply(scale, (game.pad - PAD / 2, HEIGHT - game.level, PAD, 0.6)))
    return pygame.transform.smoothscale(canvas, (width, height))


def draw_path(game: Lander, view: pygame.Surface) -> None:
    """Dots along the path of the next seconds, as far as the ground, if the jets stay as they are."""
    ahead = [] if game.result else game.world.predict(6.0, every=24, bodies=[game.ship])[0][:, 0]
    for x, y, _ in ahead:
        if y < FOOT + np.interp(x, range(WIDTH + 1), game.ground):
            break
        centre, radius = np.multiply((x, HEIGHT - y), view.get_width() / WIDTH), view.get_width() / 330
        pygame.draw.circle(view, (150, 190, 255), centre, radius)


def draw_ship(game: Lander, view: pygame.Surface) -> None:
    """Draw the ship at its pose between two ticks, over the flames of its jets."""
    main, left, _, right, _ = game.jets.throttle
    origin, orientation = game.ship.interpolated_pose()
    room = max(origin[1] - 3.4 - np.interp(origin[0], range(WIDTH + 1), game.ground), 0.3)  # below the nozzle [m]
    main_length = main * (1.0 + 0.08 * np.sin(70.0 * game.world.time))
    cone = [((205, 70, 30), 1.5, 10), (FIRE, 1.25, 8), ((255, 205, 110), 0.95, 6), (WHITE, 0.6, 4)]
    burn = [
        (colour, [(-w, -3.3), (w, -3.3), (0, -3.4 - min(main_length * long, room))]) for colour, w, long in cone if main
    ]
    puff = [(WHITE, [(3.6 * s, 0.7), (4.4 * s, 0.7), (4.0 * s, 0.7 - 4 * t)]) for s, t in ((1, left), (-1, right))]
    turn, scale = rotation.to_matrix(orientation)[:2, :2].T, view.get_width() / WIDTH
    draw_dust(game, view, origin, main)
    # A transparent canvas around the ship, double too. Smoothed, its colours are premultiplied by their opacity.
    x, y = (int(scale * metres) for metres in (origin[0] - REACH, HEIGHT - origin[1] - REACH))
    size, corner = int(2 * REACH * scale) + 2, (x / scale, HEIGHT - y / scale)
    canvas = pygame.Surface((2 * size, 2 * size), pygame.SRCALPHA)
    for colour, outline in burn + puff + SHIP:
        fill(canvas, colour, outline @ turn + origin[:2], corner, 2 * scale)
    view.blit(pygame.transform.smoothscale(canvas, (size, size)), (x, y), special_flags=pygame.BLEND_PREMULTIPLIED)


def draw_dust(game: Lander, view: pygame.Surface, origin: np.ndarray, main: float) -> None:
    """Dust that the main engine blows away to both sides where its gas meets the ground."""
    below, scale = float(np.interp(origin[0], range(WIDTH + 1), game.ground)), view.get_width() / WIDTH
    strength = main * max(0.0, 1.0 - (origin[1] - FOOT - below) / 20.0)
    canvas = pygame.Surface(view.get_size(), pygame.SRCALPHA)
    for n in range(int(120 * strength)):
        age = (0.618 * n + 1.3 * game.world.time) % 1.0
        x = origin[0] + (-1) ** n * (1.5 + 15.0 * age * (0.4 + 0.6 * (0.377 * n % 1.0)))
        y = np.interp(x, range(WIDTH + 1), game.ground) + 0.3 + 2.4 * age * (0.732 * n % 1.0)
        pygame.draw.circle(
            canvas, (*DUST, int(150 * (1.0 - age))), (scale * x, scale * (HEIGHT - y)), scale * (0.3 + age)
        )
    view.blit(canvas, (0, 0))


def fill(canvas: pygame.Surface, colour: tuple, outline: list, corner: tuple[float, float], scale: float) -> None:
    """A polygon in the world frame [m], on a canvas whose left upper corner lies there [m], with so many pixels per metre."""
    pygame.draw.polygon(canvas, colour, np.subtract(outline, corner) * (scale, -scale))


def play(game: Lander, size: tuple[int, int] = (1280, 720)) -> None:
    """The game loop: keys, whole ticks for the elapsed wall time, a frame."""
    screen, keys_shown = pygame.display.set_mode(size, pygame.RESIZABLE), True
    draw(game, screen, "The first start compiles the physics, which takes a few seconds.")
    pygame.display.flip()
    clock, manual = pygame.time.Clock(), False
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
        manual = manual or held[pygame.K_UP] or held[pygame.K_LEFT] or held[pygame.K_RIGHT]
        game.manual = bool(manual)
        if not game.result and manual:
            game.steer(held[pygame.K_UP], 0.9 * (held[pygame.K_LEFT] - held[pygame.K_RIGHT]))
        elif not game.result:
            game.steer_itself()
        game.world.advance(clock.tick(60) / 1000)
        draw(game, screen, KEYS if keys_shown else "")
        pygame.display.flip()


def main(arguments: list[str] | None = None) -> int:
    """The command line of the demos."""
    from .internals import surface_game

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
