"""Part 0: data, mathematics and optimization."""
