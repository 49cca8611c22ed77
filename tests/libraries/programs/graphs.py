"""torch_geometric: convolutions on graphs, attention, pooling, batches of graphs."""

import torch
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_max_pool, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, to_undirected

torch.manual_seed(0)
graphs = []
for _ in range(8):
    edges = to_undirected(torch.randint(0, 10, (2, 20)))
    graphs.append(Data(x=torch.randn(10, 6), edge_index=edges, y=torch.randint(0, 3, (1,))))
print(graphs[0], degree(graphs[0].edge_index[0], 10).tolist(), add_self_loops(graphs[0].edge_index)[0].shape)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            [GCNConv(6, 8), GATConv(8, 4, heads=2), SAGEConv(8, 8), GINConv(torch.nn.Linear(8, 8))]
        )
        self.last = torch.nn.Linear(16, 3)

    def forward(self, data):
        x = data.x
        for layer in self.layers:
            x = F.relu(layer(x, data.edge_index))
        return self.last(torch.cat([global_mean_pool(x, data.batch), global_max_pool(x, data.batch)], dim=1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for batch in DataLoader(graphs, batch_size=4, shuffle=True):
        loss = F.cross_entropy(model(batch), batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, batch.num_graphs, f"{loss.item():.4f}")
