"""Serve an exported model over HTTP, with requests in batches.

    python -m torchlike examples/digits_cnn.py --save digits.pt
    python -m torchlike examples/serve.py digits.pt2 --export digits.pt
    python -m torchlike examples/serve.py digits.pt2
    curl -d '{"image": [[0, 0, 5, ...], ...]}' -H 'Content-Type: application/json' localhost:8000/predict

The server needs the file of `torch.export.save` only, not the model's source. LitServe collects requests that arrive
within `--wait` milliseconds. The model is called with a few batch sizes only, because XLA compiles each of them: the
batch is padded to the next size.
"""

import argparse

import litserve
import torch

MOST = 32
SIZES = [2, 4, 8, 16, MOST]


class Digits(litserve.LitAPI):
    """Reads 8x8 images of digits."""

    def __init__(self, path, **options):
        super().__init__(**options)
        self.path = path

    def setup(self, device):
        self.model = torch.export.load(self.path).module()
        for size in SIZES:
            self.scores(torch.zeros(size, 1, 8, 8))

    @torch.no_grad()
    def scores(self, images):
        return self.model(images).softmax(1).tolist()

    def decode_request(self, request):
        return torch.tensor(request["image"], dtype=torch.float32).reshape(1, 8, 8) / 16

    def batch(self, images):
        return torch.stack(images)

    def predict(self, images):
        images = images.reshape(-1, 1, 8, 8)  # one image if requests are not batched
        count = len(images)
        size = next(size for size in SIZES if size >= count)
        return self.scores(torch.nn.functional.pad(images, (0, 0, 0, 0, 0, 0, 0, size - count)))[:count]

    def unbatch(self, scores):
        return scores

    def encode_response(self, scores):
        scores = scores[0] if isinstance(scores[0], list) else scores
        return {"digit": max(range(10), key=scores.__getitem__), "probability": max(scores)}


def export(weights, path):
    """Export the network of `digits_cnn.py` with its trained weights."""
    from digits_cnn import Net

    net = Net()
    net.load_state_dict(torch.load(weights))
    batch = torch.export.Dim("batch", min=2, max=MOST)
    program = torch.export.export(net.eval(), (torch.zeros(4, 1, 8, 8),), dynamic_shapes=({0: batch},))
    torch.export.save(program, path)
    print(f"wrote {path}")


def server(path, most, wait):
    """Return a server of the exported model at `path`, with batches of at most `most` images."""
    api = Digits(path, max_batch_size=most, batch_timeout=wait / 1000 if most > 1 else 0.0)
    return litserve.LitServer(api, accelerator="cpu")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="the exported model")
    parser.add_argument("--export", metavar="WEIGHTS", help="export digits_cnn.py with these weights, and stop")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=MOST, help="the most images of a batch")
    parser.add_argument("--wait", type=float, default=2.0, help="milliseconds that a request waits for others")
    args = parser.parse_args()
    if args.export:
        export(args.export, args.model)
    else:
        server(args.model, args.batch, args.wait).run(
            host="127.0.0.1", port=args.port, generate_client_file=False, log_level="warning"
        )


if __name__ == "__main__":
    main()
