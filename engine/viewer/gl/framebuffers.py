"""The pictures that a frame passes through: samples of light, light, and the finished frame."""

from .resources import GL, Resources


class Framebuffers:
    """For frames of one size and so many samples a pixel. What is near is kept apart from the backdrop, premultiplied by its coverage."""

    def __init__(self, context: GL, size: tuple[int, int], samples: int) -> None:
        self._resources = Resources()
        own = self._resources.own
        self._context = context
        self.light = own(context.texture(size, 4, dtype="f2"))
        """What is near, in linear light."""
        self.light.repeat_x = self.light.repeat_y = False
        self._resolved = own(context.framebuffer([self.light], None if samples else self._depth(size, 0)))
        self.foreground = self._resolved
        """Where solids, plumes and lines are drawn."""
        if samples:
            sampled = own(context.renderbuffer(size, 4, samples=samples, dtype="f2"))
            self.foreground = own(context.framebuffer([sampled], self._depth(size, samples)))
        self.frame = own(context.texture(size, 4))
        """The finished frame, in the colours of the screen."""
        self.finished = own(context.framebuffer([self.frame]))
        self.finished.clear()

    def resolve(self) -> None:
        """Average the samples of each pixel into `light`."""
        if self.foreground is not self._resolved:
            self._context.copy_framebuffer(self._resolved, self.foreground)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()

    def _depth(self, size: tuple[int, int], samples: int) -> GL:
        return self._resources.own(self._context.depth_renderbuffer(size, samples=samples))
