"""Part I: supervised learning."""
