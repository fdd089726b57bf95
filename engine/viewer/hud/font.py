"""Text as pixels: through pygame where it is installed, else by a small font of the project's own."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..picture.curve import Coverage

GLYPH_WIDTH, GLYPH_HEIGHT = 5, 9
"""Of the small font: seven rows above the writing line and two below it."""

FINER = 3
"""Text is drawn so many times larger and averaged down: at its own size the letters would be pushed to whole pixels, with gaps between."""

# One glyph a word: the character, then its rows from the top as two hexadecimal digits each, the leftmost of five pixels being 10.
_GLYPHS = """
A0E1111111F1111 B1E11111E11111E C0E11101010110E D1C12111111121C E1F10101E10101F F1F10101E101010 G0E11101711110F
H1111111F111111 I0E04040404040E J0702020202120C K11121418141211 L1010101010101F M111B1515111111 N11111915131111
O0E11111111110E P1E11111E101010 Q0E11111115120D R1E11111E141211 S0F10100E01011E T1F040404040404 U1111111111110E
V11111111110A04 W1111111515150A X11110A040A1111 Y1111110A040404 Z1F01020408101F a00000E010F110F b1010161911111E
c00000E1010110E d01010D1311110F e00000E111F100E f0609081C080808 g00000F11110F01010E h10101619111111 i04000C0404040E
j02000602020202120C k10101214181412 l0C04040404040E m00001A15151511 n00001619111111 o00000E1111110E p00001E11111E1010
q00000F11110F0101 r00001619101010 s00000E100E011E t08081C08080906 u0000111111130D v00001111110A04 w0000111115150A
x0000110A040A11 y00001111110F01010E z00001F0204081F 00E11131519110E 1040C040404040E 20E11010204081F 31F02040201110E
402060A121F0202 51F101E0101110E 60608101E11110E 71F010204080808 80E11110E11110E 90E11110F01020C .00000000000C0C
,0000000000060604 :000606000606 ;00060600060604 !04040404000004 ?0E110102040004 '060604 "0A0A0A #0A0A1F0A1F0A0A
%18190204081303 &0C12140815120D (02040808080402 )08040202020408 *0004150E1504 +0004041F0404 -0000001F /00010204081000
<02040810080402 =00001F001F >08040201020408 @0E11010D15150E [0E08080808080E ]0E02020202020E _0000000000001F
|04040404040404 ×00110A040A11 ·0000000404 °0C12120C −0000001F ω00000A1115150A ℓ060A0A0C080A04 Δ04040A0A11111F
µ0000111111131D1010 ²0C1204081E Σ1F10080408101F
"""


def _read_glyphs() -> dict[str, npt.NDArray[np.bool_]]:
    glyphs = {" ": np.zeros((GLYPH_HEIGHT, GLYPH_WIDTH), bool)}
    bits = 16 >> np.arange(GLYPH_WIDTH)
    for word in _GLYPHS.split():
        rows = [int(word[i : i + 2], 16) for i in range(1, len(word), 2)]
        rows += [0] * (GLYPH_HEIGHT - len(rows))
        glyphs[word[0]] = (np.array(rows)[:, np.newaxis] & bits) != 0
    return glyphs


_SMALL = _read_glyphs()
_UNKNOWN = np.pad(np.ones((7, GLYPH_WIDTH), bool), ((0, 2), (0, 0)))


def small_text(text: str, scale: int = 1) -> Coverage:
    """One line in the small font, each of its pixels drawn as `scale` × `scale`."""
    picture = np.zeros((GLYPH_HEIGHT, max((GLYPH_WIDTH + 1) * len(text) - 1, 1)), np.float32)
    for place, character in enumerate(text):
        left = place * (GLYPH_WIDTH + 1)
        picture[:, left : left + GLYPH_WIDTH] = _SMALL.get(character, _UNKNOWN)
    return np.kron(picture, np.ones((scale, scale), np.float32))


@lru_cache(maxsize=512)
def text_coverage(text: str, height: int) -> Coverage:
    """One line about `height` pixels high from top to bottom, read-only; pygame's font needs no display to be drawn with.

    Put together from single letters, which are kept: a new number costs a tenth of a millisecond, a line drawn by pygame five times that.
    """
    letters = _fine_letters(text, height)
    if letters is None:
        coverage = small_text(text, _small_scale(height))
    else:
        tall, wide = len(letters[0]), sum(letter.shape[1] for letter in letters)
        fine = np.hstack([*letters, np.zeros((tall, -wide % FINER), np.float32)])
        rows = fine.reshape(-1, FINER, fine.shape[1]).sum(axis=1)
        coverage = rows.reshape(len(rows), -1, FINER).sum(axis=2) / np.float32(255.0 * FINER * FINER)
    coverage.flags.writeable = False
    return coverage


def text_width(text: str, height: int) -> int:
    """Pixels that `text_coverage` takes across, without drawing it."""
    letters = _fine_letters(text, height)
    if letters is None:
        return max((GLYPH_WIDTH + 1) * len(text) - 1, 1) * _small_scale(height)
    return -(-sum(letter.shape[1] for letter in letters) // FINER)


def _small_scale(height: int) -> int:
    return max(1, round(height / (GLYPH_HEIGHT + 1)))


def _fine_letters(text: str, height: int) -> list[Coverage] | None:
    letters = [_fine_letter(letter, height * FINER) for letter in text or " "]
    found = [letter for letter in letters if letter is not None]
    return found if len(found) == len(letters) else None


@lru_cache(maxsize=1024)
def _fine_letter(letter: str, height: int) -> Coverage | None:
    """One letter as wide as it sets the next one off, 0 to 255; None where pygame is missing or was built without fonts."""
    try:
        import pygame.font

        pygame.font.init()
        # Not kept, as letters are: a font dies where a program quits pygame and starts it again, and using it then is fatal. Of its
        # nominal size a quarter is blank.
        font = pygame.font.Font(None, round(1.35 * height))
        ink = pygame.surfarray.array3d(font.render(letter, True, (255, 255, 255), (0, 0, 0)))[..., 0].T
        tall = FINER * (font.get_height() // FINER + 1)  # some letters come a row taller than the font says
        return np.pad(ink[:tall], [(0, max(tall - len(ink), 0)), (0, 0)]).astype(np.float32)
    except (ImportError, NotImplementedError):
        return None
