"""The halo that bright things leave in a lens: a pyramid of ever smaller pictures, blurred on the way down and on the way up."""

from .programs import screen_pass
from .resources import GL, Resources

LEVELS = 6
SMALLEST = 8  # pixels a side
BACKDROP_UNIT = 1  # the texture unit of what lies behind, when the halo is drawn
THRESHOLD = 0.95  # of light: a sunlit white wall stays below, glints, lamps and gas lie above
WIDER = 0.8  # share of each wider halo in the sum
STRENGTH = 0.13


class Bloom:
    """The pyramid for pictures of one size."""

    def __init__(self, context: GL) -> None:
        self._context = context
        self._lasting, self._sized = Resources(), Resources()
        own = self._lasting.own
        self._bright_program, self._bright = map(own, screen_pass(context, "bloom_bright"))
        self._bright_program["threshold"].value = THRESHOLD
        self._bright_program["backdrop"].value = BACKDROP_UNIT
        self._down_program, self._down = map(own, screen_pass(context, "bloom_down"))
        self._up_program, self._up = map(own, screen_pass(context, "bloom_up"))
        self._up_program["share"].value = WIDER
        self._levels: list[tuple[GL, GL]] = []

    def resize(self, size: tuple[int, int]) -> None:
        """Make the pictures of the pyramid, the first half as large as `size`."""
        self._sized.release()
        self._levels = []
        while len(self._levels) < LEVELS and min(size) >= 2 * SMALLEST:
            size = size[0] // 2, size[1] // 2
            texture = self._sized.own(self._context.texture(size, 4, dtype="f2"))
            texture.repeat_x = texture.repeat_y = False
            self._levels.append((texture, self._sized.own(self._context.framebuffer([texture]))))

    def draw(self, foreground: GL, backdrop: GL) -> GL:
        """The halo of what is near and of the sun behind it, half as large; for one too small to have any, itself."""
        context, source = self._context, foreground
        context.enable_only(context.NOTHING)
        backdrop.use(BACKDROP_UNIT)
        for number, (texture, target) in enumerate(self._levels):
            down = (self._down_program, self._down) if number else (self._bright_program, self._bright)
            self._fill(target, *down, source)
            source = texture
        context.enable_only(context.BLEND)
        context.blend_func = context.ONE, context.ONE
        for _, target in reversed(self._levels[:-1]):
            self._fill(target, self._up_program, self._up, source)
            source = target.color_attachments[0]
        return source

    def release(self) -> None:
        """Give everything back."""
        self._sized.release()
        self._lasting.release()

    def _fill(self, target: GL, filling: GL, vertices: GL, source: GL) -> None:
        target.use()
        source.use()
        filling["texel"].value = 1.0 / source.width, 1.0 / source.height
        vertices.render(self._context.TRIANGLES, vertices=3)
