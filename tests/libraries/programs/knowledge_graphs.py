"""pykeen: three embeddings of a knowledge graph trained and ranked."""

import logging
import warnings

from pykeen.pipeline import pipeline

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
quiet = {"use_tqdm": False}
for model in ("TransE", "RotatE", "DistMult"):
    found = pipeline(
        dataset="Nations",
        model=model,
        training_kwargs=dict(num_epochs=2, **quiet),
        evaluation_kwargs=quiet,
        random_seed=0,
        device="cpu",
    )
    print(model, [round(loss, 3) for loss in found.losses], round(found.get_metric("mrr"), 3))
