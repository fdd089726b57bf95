"""Mass, mass centre and inertia tensor of solid bodies, from their shapes, their parts or their surface."""
