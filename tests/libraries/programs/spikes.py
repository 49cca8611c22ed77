"""snntorch: a spiking network trained through surrogate gradients, spikes by rate and by latency."""

import snntorch
import torch
from snntorch import functional, spikegen, surrogate
from torch import nn

torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)
        self.leaky = snntorch.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid(), learn_beta=True)
        self.synaptic = snntorch.Synaptic(alpha=0.8, beta=0.8, spike_grad=surrogate.atan())

    def forward(self, x):
        membrane = self.leaky.init_leaky()
        synapse, last = self.synaptic.init_synaptic()
        spikes = []
        for step in x:
            hidden, membrane = self.leaky(self.first(step), membrane)
            spike, synapse, last = self.synaptic(self.second(hidden), synapse, last)
            spikes.append(spike)
        return torch.stack(spikes)


network, wrong = Network(), functional.ce_rate_loss()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
x, y = spikegen.rate(torch.rand(5, 8), num_steps=10), torch.randint(0, 4, (5,))
for _ in range(3):
    spikes = network(x)
    loss = wrong(spikes, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 5), int(spikes.sum()), functional.accuracy_rate(spikes, y))
print(spikegen.latency(torch.rand(3, 4), num_steps=5, normalize=True).sum().item())
