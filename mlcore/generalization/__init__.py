"""Part III: generalization."""
