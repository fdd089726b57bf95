"""A moon lander in a hundred lines to copy: pygame and the engine, no OpenGL, nothing from the other demos.

    python -m demos embed [--seed N] [--headless --frames N --out FILE.png]        (headless, the autopilot flies)

Up: engine. Left, right: turn. Set down on the green pad, upright, below 2 m/s; the fuel left scores. Space: next.
"""

import argparse
from pathlib import Path

import numpy as np
import pygame

from engine import MassProperties, World, forces

WIDTH, HEIGHT, PAD, SCALE = 128, 72, 13.0, 20  # field and pad [m]; pixels a metre, twice those of the smoothed window
GRAVITY, MASS, MAIN, SIDE, FUEL = 1.62, 2000.0, 7000.0, 500.0, 24.0  # m/s², kg, N, N, seconds of full thrust
WHITE, GREEN, RED, FIRE = (235, 240, 250), (90, 240, 150), (255, 90, 80), (255, 170, 70)
LEGS = [(-1.1, -0.7), (-2.0, -2.2), (-2.4, -2.2), (-1.4, 0.2), (1.4, 0.2), (2.4, -2.2), (2.0, -2.2), (1.1, -0.7)]
HULL = [(-1.5, -1.0), (1.5, -1.0), (1.7, 0.4), (0.9, 1.6), (-0.9, 1.6), (-1.7, 0.4)]
SHIP = [((115, 122, 140), LEGS), (WHITE, HULL), ((50, 120, 190), [(-0.7, 0.5), (0.7, 0.5), (0.4, 1.2), (-0.4, 1.2)])]


class Lander:
    """One flight: the world, the ship in it, the ground below; x to the right, y up."""

    def __init__(self, seed: int) -> None:
        random, self.x = np.random.default_rng(seed), np.arange(WIDTH + 1)  # [m]
        self.pad, start = random.uniform(20.0, WIDTH - 20.0, 2)
        waves = [8.0 / k * np.sin(0.06 * self.x * k**1.4 + random.uniform(0.0, 7.0)) for k in range(1, 9)]
        self.ground = np.maximum(14.0 + sum(waves), 3.0)
        self.ground[abs(self.x - self.pad) < 0.7 * PAD] = self.level = np.interp(self.pad, self.x, self.ground)
        self.stars, self.fuel, self.result = random.uniform((0, 0, 1), (WIDTH, HEIGHT, 4.5), (240, 3)), FUEL, ""
        self.world, box = World(dt=1 / 120), MassProperties.box(mass=MASS, size=(3.4, 2.6, 3.4))
        self.ship = self.world.add_body(box, position=(start, 64, 0), velocity=(random.uniform(-6, 6), -1, 0))
        self.world.add_force(forces.UniformGravity((0, -GRAVITY, 0)))
        (right, left), (up, down) = [(1.9, 0.4, 0), (-1.9, 0.4, 0)], [(0, 1, 0), (0, -1, 0)]
        jets = {"positions": [(0, -1, 0), right, left, left, right], "directions": [up, up, down, up, down]}
        self.jets = self.world.add_force(forces.ThrusterBank(self.ship, **jets, max_forces=[MAIN] + 4 * [SIDE]))
        self.world.on_tick(self.watch)

    def steer(self, main: float, turn: float) -> None:
        """Set the main engine, 0 to 1; the side jets bring the ship to a rate of turn [rad/s], to the left above 0."""
        push = 5.0 * (turn - self.ship.angular_velocity_body[2])
        self.jets.throttle = np.clip([main * (self.fuel > 0.0), push, push, -push, -push], 0.0, 1.0)

    def watch(self, world: World) -> None:
        """Before each tick: burn fuel, and see whether a foot is on the ground."""
        self.fuel = max(self.fuel - self.jets.throttle[0] * world.dt, 0.0)
        feet, aside = self.ship.to_world([(-2.2, -2.2, 0), (2.2, -2.2, 0)]), abs(self.ship.position[0] - self.pad)
        if (feet[:, 1] < np.interp(feet[:, 0], self.x, self.ground)).any():
            soft = np.linalg.norm(self.ship.velocity) < 2.0 and self.ship.rotation_matrix[1, 1] > 0.97
            self.result = "LANDED" if soft and aside < PAD / 2 else "CRASHED"
            self.jets.throttle, world.paused = 0.0, True

    def fly_itself(self) -> None:
        """A frame of the autopilot: first over the pad, then down, the slower the lower."""
        (x, y, _), (across, climb, _) = self.ship.position, self.ship.velocity
        wanted = -0.6 - 0.15 * (y - self.level - 2.0) if abs(self.pad - x) < 5.0 else 0.3 * (40.0 - y)
        push = 0.7 * (np.clip(0.25 * (self.pad - x), -7.0, 7.0) - across)
        lift, tilt = GRAVITY + 1.2 * (wanted - climb), -np.arcsin(self.ship.rotation_matrix[0, 1])
        self.steer(MASS * lift / MAIN, 1.5 * (np.clip(np.arctan2(-push, max(lift, 0.8)), -0.45, 0.45) - tilt))
        self.world.advance(1 / 60)

    def draw(self, score: float) -> pygame.Surface:
        """The present frame, 1280 × 720, from one twice as large."""
        canvas, (main, left, _, right, _) = pygame.Surface((WIDTH * SCALE, HEIGHT * SCALE)), self.jets.throttle
        for row in range(0, HEIGHT * SCALE, 10):
            canvas.fill((8 + row // 90, 10 + row // 60, 24 + row // 28), (0, row, WIDTH * SCALE, 10))
        for x, y, size in self.stars:
            pygame.draw.circle(canvas, (60 + 40 * size,) * 3, (SCALE * x, SCALE * y), size)
        ridges = (((24, 32, 58), 45, 9.0), ((170, 175, 190), 0, 0.25), ((56, 58, 70), 0, 0.0))
        shapes = [(c, [*enumerate(np.roll(self.ground, i) + up), (WIDTH, 0), (0, 0)]) for c, i, up in ridges]
        pad = [(self.pad + side * PAD / 2, self.level + h) for side, h in ((-1, 0), (1, 0), (1, -0.5), (-1, -0.5))]
        tip, (x, y, _) = -1.2 - main * (4.6 + 0.6 * np.sin(70.0 * self.world.time)), self.ship.interpolated_pose()[0]
        burn = [(FIRE, [(-0.8, -0.9), (0.8, -0.9), (0, tip)]), (WHITE, [(-0.4, -1), (0.4, -1), (0, tip / 2)])]
        puff = [(WHITE, [(1.7 * s, 0.2), (2.1 * s, 0.2), (1.9 * s, 0.2 - 2 * t)]) for s, t in ((1, left), (-1, right))]
        turn = self.ship.rotation_matrix[:2, :2].T
        shapes += [(GREEN, pad), *((c, a @ turn + (x, y)) for c, a in burn + puff + SHIP)]
        for colour, outline in shapes:
            pygame.draw.polygon(canvas, colour, (np.array(outline) * (1, -1) + (0, HEIGHT)) * SCALE)
        frame, (across, climb, _) = pygame.transform.smoothscale(canvas, (1280, 720)), self.ship.velocity
        text = f"score {score:.0f}     fuel {self.fuel:.1f} s     across {across:+.1f} m/s     up {climb:+.1f} m/s"
        slow, font = np.hypot(across, climb) < 2.0, pygame.font.Font
        frame.blit(font(None, 36).render(text, True, GREEN if slow else FIRE), (28, 24))
        frame.blit(font(None, 120).render(self.result, True, GREEN if self.result == "LANDED" else RED), (450, 160))
        return frame


def play(game: Lander) -> None:
    """The loop of a game: keys, whole ticks for the wall time gone by, a frame."""
    screen, clock, score = pygame.display.set_mode((1280, 720)), pygame.time.Clock(), 0.0
    while all(event.type != pygame.QUIT for event in pygame.event.get()):
        keys = pygame.key.get_pressed()
        if not game.result:
            game.steer(keys[pygame.K_UP], 0.9 * (keys[pygame.K_LEFT] - keys[pygame.K_RIGHT]))
        elif keys[pygame.K_SPACE]:
            score = score + 10.0 * game.fuel if game.result == "LANDED" else 0.0
            game = Lander(pygame.time.get_ticks())
        game.world.advance(clock.tick(60) / 1000)
        screen.blit(game.draw(score), (0, 0))
        pygame.display.flip()


def main(arguments: list[str] | None = None) -> int:
    """Play; or let the autopilot fly, and write the last frame."""
    reader = argparse.ArgumentParser("python -m demos embed", description=__doc__.partition("\n")[0])
    reader.add_argument("--headless", action="store_true")
    for option, kind, default in (("--frames", int, 600), ("--out", Path, "out/embed.png"), ("--seed", int, 0)):
        reader.add_argument(option, type=kind, default=default)
    wanted = reader.parse_args(arguments)
    game = Lander(wanted.seed)
    pygame.font.init()
    if not wanted.headless:
        return play(game) or 0
    for _ in range(wanted.frames):
        game.fly_itself()
    wanted.out.parent.mkdir(parents=True, exist_ok=True)
    return pygame.image.save(game.draw(0.0), wanted.out) or 0


def check() -> list[str]:
    """A burn of two seconds, upright, against h = (F/m − g) t²/2; and the autopilot lands."""
    burn, auto = Lander(0), Lander(0)
    expected = burn.ship.position + 2.0 * burn.ship.velocity + (0.0, 2.0 * (0.7 * MAIN / MASS - GRAVITY), 0.0)
    burn.steer(0.7, 0.0)
    burn.world.step(240)
    while not auto.result:
        auto.fly_itself()
    assert abs(burn.ship.position - expected).max() < 1e-9 and auto.result == "LANDED", (expected, auto.result)
    return ["a burn of 2 s follows its closed form to 1e-9 m", f"the autopilot lands, {auto.fuel:.1f} s of fuel left"]
