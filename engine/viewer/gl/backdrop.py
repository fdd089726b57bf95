"""What lies at infinity, kept as a picture: it changes only when the camera turns, the planet moves or the frame is resized."""

from ..picture.camera import OrbitCamera
from ..picture.view import Array
from .programs import program, screen_pass
from .resources import GL, Resources
from .stars import stars


class Backdrop:
    """Sky and planet, drawn at a scale of their own since they are soft and costly, and the stars, which are sharp, upon them."""

    def __init__(self, context: GL) -> None:
        self._context = context
        self._lasting, self._sized = Resources(), Resources()
        own = self._lasting.own
        _, self._sky = map(own, screen_pass(context, "sky"))
        _, self._copy = map(own, screen_pass(context, "copy"))
        catalogue = stars()
        self._star_count = len(catalogue)
        layout = (own(context.buffer(catalogue.tobytes())), "3f 3f", "direction", "flux")
        self._stars = own(context.vertex_array(own(program(context, "stars", "stars")), [layout]))

    def resize(self, size: tuple[int, int], scale: float) -> None:
        """Make room for pictures of this size; `scale` is the size of sky and planet over it."""
        self._sized.release()
        own, context = self._sized.own, self._context
        sky_size = max(round(size[0] * scale), 1), max(round(size[1] * scale), 1)
        self._sky_texture = own(context.texture(sky_size, 4, dtype="f2"))
        self._sky_target = own(context.framebuffer([self._sky_texture]))
        self.texture = own(context.texture(size, 4, dtype="f2"))
        self.texture.repeat_x = self.texture.repeat_y = self._sky_texture.repeat_x = self._sky_texture.repeat_y = False
        self._target = own(context.framebuffer([self.texture]))
        self._target.clear()
        self._seen: tuple[float, ...] = ()

    def draw(self, camera: OrbitCamera, planet: Array) -> None:
        """Draw it unless it is there already, which saves 200 ms of processor time (software renderer, 1280 × 720)."""
        seen = (*camera.forward, *camera.axes[:, 2], *planet)
        if self._seen == seen:
            return
        self._seen = seen
        context = self._context
        context.enable_only(context.NOTHING)
        self._sky_target.use()
        self._sky.render(context.TRIANGLES, vertices=3)
        self._target.use()
        self._sky_texture.use()
        self._copy.render(context.TRIANGLES, vertices=3)
        context.enable_only(context.BLEND | context.PROGRAM_POINT_SIZE)
        context.blend_func = context.ONE, context.ONE
        self._stars.render(context.POINTS, vertices=self._star_count)

    def release(self) -> None:
        """Give everything back."""
        self._sized.release()
        self._lasting.release()
