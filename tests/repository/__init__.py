"""The repository itself: structure, texts, examples, benchmarks."""
