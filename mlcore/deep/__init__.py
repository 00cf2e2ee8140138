"""Part II: deep learning."""
