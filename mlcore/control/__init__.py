"""Part VI: reinforcement learning and control."""
