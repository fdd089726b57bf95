"""Lays patches of pixels over the finished frame. Their textures are kept as long as the same pixels come again."""

from collections.abc import Iterable

from ..hud.overlay import Patch
from .programs import program
from .resources import GL


class Patches:
    """The textures of the last frame's patches, each beside the pixels it holds."""

    def __init__(self, context: GL) -> None:
        self._context = context
        self._program = program(context, "overlay", "overlay")
        self._rectangle = context.vertex_array(self._program, [])
        self._kept: dict[int, tuple[GL, GL]] = {}

    def draw(self, patches: Iterable[Patch]) -> None:
        """Lay the patches over the target in use, in order."""
        context = self._context
        context.enable_only(context.BLEND)
        context.blend_func = context.ONE, context.ONE_MINUS_SRC_ALPHA
        patches = list(patches)
        wanted = {id(patch.pixels) for patch in patches}
        spare = [self._kept.pop(key)[1] for key in list(self._kept) if key not in wanted]
        for patch in patches:
            height, width = patch.pixels.shape[:2]
            self._texture(patch, spare).use()
            self.rectangle(patch.left, patch.top, width, height)
        for texture in spare:
            texture.release()

    def rectangle(self, left: float, top: float, width: float, height: float) -> None:
        """Fill a rectangle of the target, in pixels, with the texture in use."""
        self._program["place"].value = float(left), float(top), float(width), float(height)
        self._rectangle.render(self._context.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        """Give everything back."""
        for _, texture in self._kept.values():
            texture.release()
        self._kept.clear()
        self._rectangle.release()
        self._program.release()

    def _texture(self, patch: Patch, spare: list[GL]) -> GL:
        """The texture of these pixels: kept, else a spare one of the same size, else a new one."""
        key, size = id(patch.pixels), (patch.pixels.shape[1], patch.pixels.shape[0])
        if key not in self._kept:
            fitting = next((texture for texture in spare if texture.size == size), None)
            if fitting is None:
                fitting = self._context.texture(size, 4)
                fitting.filter = self._context.NEAREST, self._context.NEAREST
            else:
                spare.remove(fitting)
            fitting.write(patch.pixels.tobytes())
            self._kept[key] = patch.pixels, fitting  # the pixels too: a number is theirs as long as they live
        return self._kept[key][1]
