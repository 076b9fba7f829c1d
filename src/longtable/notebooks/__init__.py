"""Notebooks: scratchpads of ordered, typed cells that belong to the tenant and outlive its sessions."""
