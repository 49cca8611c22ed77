"""Regressions found by the fuzzer, each as a small program."""

FOUND = {
    "the_counters_are_double_where_the_default_dtype_is": """
opts = [torch.optim.Adam([nn.Parameter(torch.ones(2))]), torch.optim.NAdam([nn.Parameter(torch.ones(2))]),
        torch.optim.ASGD([nn.Parameter(torch.ones(2))])]
for opt in opts:
    opt.param_groups[0]['params'][0].square().sum().backward()
    opt.step()
out = [opt.state_dict() for opt in opts]
""",
    "the_counter_is_a_tensor_after_a_step_without_gradients": """
w = nn.Parameter(torch.ones(2))
opt = torch.optim.RMSprop([w], lr=0.1)
w.sum().backward()
opt.step()
opt.zero_grad()
opt.step()
out = None
""",
    "a_hook_before_the_step_returns_something": """
w = nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([w], lr=0.1)
opt.register_step_pre_hook(lambda o, a, k: 1)
out = opt.step()
""",
    "a_scheduler_whose_optimizer_got_another_group": """
w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 2)
opt.add_param_group({'params': [v], 'lr': 0.1})
out = sched.step()
""",
    "a_scheduler_whose_optimizer_lost_a_group": """
w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([{'params': [w]}, {'params': [v]}], lr=0.1)
sched = torch.optim.lr_scheduler.MultiplicativeLR(opt, lambda e: 0.9)
opt.param_groups.pop()
out = sched.step()
""",
    "a_copy_of_the_state_of_tied_weights": """
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
model[1].weight = model[0].weight
out = copy.deepcopy(model.state_dict())
versions = [t._version for t in out.values()]
out['0.weight'].add_(1)
""",
    "copies_of_views": """
x = torch.arange(6.0).reshape(2, 3)
out = copy.deepcopy([x, x[0], x.t(), x[:1].expand(2, 3), x.detach()])
out[1].add_(1)
strides = [(t.stride(), t.storage_offset()) for t in out]
""",
    "a_layer_gets_other_dtypes_and_shapes": """
out = nn.Linear(4, 4)(torch.ones(1, 3, dtype=torch.int64))
""",
    "a_hook_keeps_what_reaches_a_compiled_module": """
kept, model = {}, nn.Sequential(nn.Linear(4, 4), nn.Tanh())
model.register_full_backward_hook(lambda m, i, o: kept.update(g=o[0]))
fast = compile(model)
def step(x):
    fast(x).square().sum().backward()
out = step(torch.ones(3, 4))
out = step(torch.ones(3, 4))
out = step(torch.ones(3, 4))
""",
    "what_a_compiled_function_cannot_differentiate": """
p, w = torch.ones(4), nn.Parameter(torch.ones(4))
def loss_of(x):
    z = x * w * p
    p.mul_(0.9)
    return z
loss_of = compile(loss_of)
out = loss_of(torch.ones(4))
version = p._version
out = loss_of(torch.ones(4))
out = out.sum().backward()
""",
    "a_scheduler_whose_optimizer_got_another_group_at_the_bottom": """
w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1)
out = sched.step()
opt.add_param_group({'params': [v], 'lr': 0.1})
out = sched.step()
""",
    "a_gradient_is_set_to_none_that_was_none": """
w = nn.Parameter(torch.ones(2))
def step(x):
    w.grad = None
step = compile(step)
out = step(torch.ones(2))
w.grad = torch.ones(2)
out = step(torch.ones(2))
""",
    "two_parameters_get_one_gradient": """
w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 0.5))
def step(x):
    (w.sum() * v * x).sum().backward()
step = compile(step)
out = step(torch.ones(2))
out = step(torch.ones(2))
w.grad = v.grad
out = step(torch.ones(2))
w.grad = v.grad.clone()
out = step(torch.ones(2))
w.grad, v.grad = v.grad, torch.zeros(2)
out = step(torch.ones(2))
""",
    "a_gradient_becomes_a_view_of_another_one": """
w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 0.5))
def step(x):
    (w.sum() * v * x).sum().backward()
    w.grad = v.grad.detach()
step = compile(step)
out = step(torch.ones(2))
out = step(torch.ones(2))
w.grad.add_(1)
out = step(torch.ones(2))
""",
    "a_counter_that_somebody_holds_is_written_to": """
w = nn.Parameter(torch.ones(2))
opt = torch.optim.Adamax([w], lr=0.1)
def step(x):
    (w * x).sum().backward()
    opt.step()
step = compile(step)
out = step(torch.ones(2))
held = [t for s in opt.state.values() for t in s.values()]
out = step(torch.ones(2))
held[0].zero_()
out = step(torch.ones(2))
out = step(torch.ones(2))
""",
    "a_counter_has_a_dimension": """
w = nn.Parameter(torch.ones(3))
opt = torch.optim.Adam([w], lr=0.1)
def step(x):
    opt.zero_grad()
    (w * w * x).sum().backward()
    opt.step()
step = compile(step)
out = step(torch.ones(3))
opt.state[w]['step'] = torch.tensor([5.0])
out = step(torch.ones(3))
out = step(torch.ones(3))
out = [x.shape for x in opt.state[w].values()]
out = step(torch.ones(3))
""",
    "a_buffer_that_a_mapped_function_saved_is_overwritten": """
model, p, w = nn.Linear(4, 4), torch.ones(4), nn.Parameter(torch.ones(4))
def loss_of(x):
    z = model(x) * p
    p.mul_(0.9)
    return torch.func.vmap(lambda a: (a * w).sum())(z).mean()
loss_of = compile(loss_of)
def step(x):
    loss_of(x).backward()
out = step(torch.ones(3, 4))
""",
    "the_version_of_a_recurrent_cell's_result": """
model = nn.GRUCell(4, 4)
def step(x):
    z = model(x)
    loss = z.square().sum()
    z.mul_(1.5)
    loss.backward()
out = step(torch.ones(3, 4))
""",
    "the_version_of_the_cell_state": """
model = nn.LSTMCell(4, 4)
def step(x):
    h, c = model(x)
    loss = c.square().sum()
    c.mul_(1.5)
    loss.backward()
out = step(torch.ones(3, 4))
""",
    "a_gradient_shares_the_memory_of_its_parameter": """
w, model = nn.Parameter(torch.ones(4)), nn.LayerNorm(4)
def step(x):
    w.grad = None
    model(x + w.detach()).square().mean().backward()
step = compile(step)
out = step(torch.ones(3, 4))
w.grad = w.detach()
out = step(torch.ones(3, 4))
out = step(torch.ones(3, 4))
""",
    "a_flat_frozen_parameter_beside_a_renormalized_embedding": """
model, emb, x = nn.Linear(4, 4), nn.Embedding(5, 4, max_norm=0.7), torch.ones(3, 4, requires_grad=True)
model.weight.requires_grad_(False)
parameters = [*model.parameters(), *emb.parameters()]
nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(parameters).clamp(-1, 1), parameters)
def step(x):
    (model(x) + emb(torch.tensor([1, 0, 4]))).square().mean().backward()
out = step(x)
out = step(x)
""",
    "an_activation_in_place_on_a_view_whose_result_is_overwritten": """
model = nn.Linear(4, 4)
def step(x):
    z = F.relu(model(x)[None][0], inplace=True)
    z.tanh_().sum().backward()
out = step(torch.ones(3, 4))
""",
}
