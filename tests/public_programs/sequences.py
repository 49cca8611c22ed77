"""Programs of language, speech, time series, graphs and recommendation."""

from tests.public_programs import data_sequences as data
from tests.public_programs.program import Program

PROGRAMS: list[Program] = [
    Program(
        "bigram",
        "karpathy/ng-video-lecture",
        "bigram.py",
        "character bigrams",
        "language",
        data=data.shakespeare,
        commit="267bb9cb72dbc68b3974b33fb1c62d0e88475d97",
    ),
    Program(
        "rnn_language_model",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/language_model/main.py",
        "LSTM language model, truncated backpropagation",
        "language",
        data=data.penn_treebank,
        files=("tutorials/02-intermediate/language_model/data_utils.py",),
        commit="032a934b488b7625f69af14318c2b1a7d3c4b008",
    ),
    Program(
        "rnn_regressor",
        "MorvanZhou/PyTorch-Tutorial",
        "tutorial-contents/403_RNN_regressor.py",
        "RNN: the cosine from the sine",
        "time series",
        needs=("matplotlib",),
        commit="256559c12ae58fefb73810af94f357f609ded5db",
    ),
    Program(
        "pygcn",
        "tkipf/pygcn",
        "pygcn/train.py",
        "graph convolutions over a sparse matrix",
        "graphs",
        data=data.cora_above,
        files=("pygcn/__init__.py", "pygcn/layers.py", "pygcn/models.py", "pygcn/utils.py"),
        needs=("scipy",),
        commit="299b90de321a8747e96dbd9e1c44bc30f6788986",
    ),
    Program(
        "tcn_copy_memory",
        "locuslab/TCN",
        "TCN/copy_memory/copymem_test.py",
        "temporal convolutions with weight norm: the copy task",
        "time series",
        ("--cuda", "--blank_len", "30", "--levels", "4", "--batch_size", "16"),
        files=("TCN/tcn.py", "TCN/copy_memory/model.py", "TCN/copy_memory/utils.py"),
        commit="ec2ee1038c941a2f56af66915135a1a892043aed",
    ),
    Program(
        "bi_lstm_crf",
        "bi-lstm-crf-0.2.1",
        "bi_lstm_crf/app/train.py",
        "LSTM and conditional random field: tags of characters",
        "language",
        ("corpus", "--batch_size", "32"),
        data=data.tagged_characters,
        needs=("pandas",),
    ),
]
