"""Speed, memory and agreement of mlcore beside the libraries that have the same algorithms; `make bench` runs it."""
