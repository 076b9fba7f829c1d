"""Where the vectors of texts live: written soon after a text, gone with it, searched for the nearest ones."""
