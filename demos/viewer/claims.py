"""What a demo's check asserts."""


def claim(holds: bool, text: str) -> str:
    """An assertion that python -O keeps; returns the text, where it holds."""
    if not holds:
        raise AssertionError(text)
    return text
