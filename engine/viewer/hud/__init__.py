"""The head-up display as pixels, with text, curves, lamps and the picture of the telemetry; made with numpy and pygame's fonts."""
