"""Regressions found by the fuzzer, each as a small program."""

FOUND = {
    "an_activation_with_a_negative_slope_in_place": """
x = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
a, b, c, d = x * 1, x * 1, x * 1, x * 1
nn.functional.elu_(a, -0.5)
nn.functional.celu_(b, -0.5)
nn.functional.leaky_relu_(c, -0.1)
nn.functional.rrelu_(d, -0.25, -0.25)
a.sum().backward()
b.sum().backward()
c.sum().backward()
d.sum().backward()
e = nn.functional.elu_(x * 1, 0.5)
e.sum().backward()
""",
    "an_in_place_activation_of_a_complex_leaf": """
a = torch.tensor([1 + 2j, -0.5j], requires_grad=True)
nn.functional.elu_(a)
nn.functional.hardtanh_(a)
nn.functional.threshold_(a, 0.1, 2.0)
""",
    "an_index_of_a_leaf_without_dims": """
a = torch.tensor(0.75, requires_grad=True)
a.index_put_((torch.tensor([0]),), torch.tensor(2.0))
""",
    "gradients_of_constants": """
a = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
log.append(deep(lambda t: t.relu(), a, 4))
log.append(deep(lambda t: t.square(), a, 3))
log.append(deep(lambda t: t.pow(1), a, 2))
log.append(deep(lambda t: t.pow(2), a, 3))
log.append(deep(lambda t: t ** 3, a, 4))
log.append(deep(lambda t: t.sum() ** 2, a, 3))
log.append(deep(lambda t: t.square(), a, 4))
""",
    "gradients_of_a_leaf_and_of_a_tensor_between": """
a = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
b = a.exp()
torch.autograd.backward(b.sum(), inputs=[a, b])
b.sum().backward()
c = a.exp()
torch.autograd.backward(c.sum(), inputs=[c, c])
c.sum().backward()
d, e = a.exp().unbind(0)[:2]
torch.autograd.backward((d * e).sum(), inputs=[d, e])
""",
    "a_leaf_that_is_marked_dirty": """
a = torch.tensor([1.0, -2.0], requires_grad=True)
Dirty.apply(a)
b = a * 1
Dirty.apply(b)
Dirty.apply(b[:1])
""",
    "a_hook_of_a_node_with_indices": """
a = torch.tensor([1.0, -2.0], requires_grad=True)
b = (a * 1).max(0).values
b.grad_fn.register_hook(spy("max"))
b.grad_fn.register_prehook(spy("max"))
b.backward()
c, d = (a * 1).sort(0)
c.grad_fn.register_hook(spy("sort"))
c.sum().backward()
""",
    "a_warning_after_the_errors_of_backward": """
a = torch.tensor([1 + 2j, -0.5j], requires_grad=True)
(a * a.detach()).sum().backward(create_graph=True)
b = torch.ones(2, requires_grad=True)
b.backward(create_graph=True)
b.sum().backward(create_graph=True)
""",
    "a_gradient_is_added_in_place_in_the_dtype_of_the_first": """
a = torch.tensor([1.0, -2.0], requires_grad=True)
a.sin().sum().backward()
a.data = a.detach().double()
a.exp().sum().backward()
""",
    "the_strides_of_a_gradient_added_out_of_place": """
a = torch.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]]).t().requires_grad_()
a.sum().backward()
(a * a).sum().backward(create_graph=True)
log.append(a.grad.stride())
""",
    "an_assignment_through_a_pending_mask": """
a = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
b = a * 2
b[b > 0] = 0.5
c = a * 2
c[c[:, 0] > 0] = torch.tensor(2.0)
(b * c).sum().backward()
""",
    "the_spread_of_a_number": """
a = torch.tensor(0.75, requires_grad=True)
b = a.std(0)
c = a.var(-1)
d = a.std()
""",
    "a_hook_that_changes_the_type_of_a_bfloat16_gradient": """
a = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
a.register_hook(lambda g: g.double())
a.sum().backward()
""",
    "a_hook_on_saved_tensors_ends_a_capture": """
a = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
def run():
    d = a * a
    with hooks(pack, unpack):
        e = d.sin() * d
    return e
run = compile(run)
b = run()
c = run()
(b * c).sum().backward()
""",
    "a_compiled_function_waits_for_a_thread_that_uses_its_values": """
a = torch.tensor([0.5, -1.0], requires_grad=True)
def run():
    d = a * 2
    in_thread(lambda: (d * d).sum().backward())
    in_thread(lambda: d.sum().backward(torch.ones(7)))
    return d
run = compile(run)
b = run()
c = run()
""",
}
