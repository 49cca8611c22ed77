"""sentence_transformers: similarity, search, communities and paraphrases of embeddings."""

import torch
from sentence_transformers import util

torch.manual_seed(0)
a = torch.randn(6, 16)
b = torch.randn(9, 16)
print(
    util.cos_sim(a, b).sum().item().__round__(4),
    [[(d["corpus_id"], round(d["score"], 4)) for d in r] for r in util.semantic_search(a, b, top_k=2)],
)
print(util.community_detection(torch.cat([a, a + 0.01]), threshold=0.9, min_community_size=2))
print([(round(s, 5), i, j) for s, i, j in util.paraphrase_mining_embeddings(a, top_k=2)[:3]])
