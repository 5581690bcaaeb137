"""What was computed, kept between reruns and made before it is asked for."""
