"""One seed, one stream: random operators, fresh weights and whole training runs, number for number."""
