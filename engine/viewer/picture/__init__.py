"""Plain data that is drawn, such as the scene, its picture, the camera and the history of the telemetry."""
