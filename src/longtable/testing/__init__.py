"""Programs to try Longtable against: stand-ins for what it talks to. Nothing of the product needs them."""
