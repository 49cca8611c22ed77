"""One seed gives PyTorch's random stream: random operators, initial weights and training runs, number for number."""
