"""Part IV: unsupervised learning."""
