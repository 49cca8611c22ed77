"""The example server answers over HTTP with an exported network."""

from concurrent.futures import ThreadPoolExecutor

from sklearn.datasets import load_digits

from benchmarks.serving import ask, connected, free_port, ours, stop, wait_for

COUNT = 40


def test_the_server_reads_digits_in_batches(tmp_path):
    weights, model = str(tmp_path / "digits.pt"), str(tmp_path / "digits.pt2")
    assert not ours("digits_cnn.py", "--epochs", "2", "--save", weights).wait()
    assert not ours("serve.py", model, "--export", weights).wait()
    digits, port = load_digits(), free_port()
    server = ours("serve.py", model, "--port", str(port))

    def read(image):
        with connected(port) as connection:
            return ask(connection, image.tolist())

    try:
        wait_for(port, server)
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(read, digits.images[:COUNT]))
    finally:
        stop(server)
    assert sum(a == b for a, b in zip(found, digits.target)) >= 0.85 * COUNT
