"""A request → a model's reply: within a budget, and kept."""
