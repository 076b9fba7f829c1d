"""What every tool is made of: its description, its checks, its envelope."""
