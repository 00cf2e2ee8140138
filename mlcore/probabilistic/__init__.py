"""Part V: probabilistic models and inference."""
