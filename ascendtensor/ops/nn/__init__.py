"""What networks are made of: activations, convolutions, pools, normalisations, embeddings, losses, images."""
