"""Functions that TorchScript refuses. Each program returns a function and no calls."""

from typing import List  # noqa: UP035

LIMIT = 3


class Config:
    size = 3


CONFIG = Config()


def defined_in_one_branch(torch):
    def f(x):
        if x.sum() > 0:
            y = 1
        return y

    return f, []


def types_of_branches(torch):
    def f(x):
        if bool(x.sum() > 0):
            y = 1
        else:
            y = "a"
        return y

    return f, []


def try_block(torch):
    def f(x):
        try:
            return x
        except ValueError:
            return x

    return f, []


def undefined_name(torch):
    def f(x):
        return undefined_function(x)  # noqa: F821

    return f, []


def unknown_method(torch):
    def f(x):
        return x.unknown()

    return f, []


def append_of_another_type(torch):
    def f(x):
        a = []
        a.append(1)
        return a

    return f, []


def returns_of_other_types(torch):
    def f(x):
        if bool(x.sum() > 0):
            return 1
        return x

    return f, []


def annotated_return(torch):
    def f(x: int) -> str:
        return x

    return f, []


def missing_return(torch):
    def f(x: int) -> int:
        if x > 1:
            return x

    return f, []


def arithmetic_of_optional(torch):
    def f(x: int | None):
        return x + 1

    return f, []


def lambda_expression(torch):
    def f(x):
        return (lambda y: y)(x)

    return f, []


def generator(torch):
    def f(x):
        yield x

    return f, []


def global_statement(torch):
    def f(x):
        global LIMIT
        LIMIT = 1
        return x

    return f, []


def variable_arguments(torch):
    def f(*args):
        return args[0]

    return f, []


def variable_keywords(torch):
    def f(x, **kwargs):
        return x

    return f, []


def global_number(torch):
    def f(x):
        return x * LIMIT

    return f, []


def closed_over_number(torch):
    n = 3

    def f(x):
        return x * n

    return f, []


def global_object(torch):
    def f(x):
        return x * CONFIG.size

    return f, []


def opens_a_file(torch):
    def f(x):
        with open("a") as g:
            g.read()
        return x

    return f, []


def loop_name_after_loop(torch):
    def f(x):
        for i in range(3):
            z = i
        return z

    return f, []


def class_inside(torch):
    def f(x):
        class A:
            pass

        return x

    return f, []


def function_inside(torch):
    def f(x):
        def g(y):
            return y

        return g(x)

    return f, []


def types_of_ternary(torch):
    def f(x):
        return x if x.sum() > 0 else 1

    return f, []


def attribute_of_int(torch):
    def f(x: int):
        return x.real

    return f, []


def string_plus_int(torch):
    def f(x: int):
        return x + "a"

    return f, []


def method_of_list(torch):
    def f(x: list[int]):
        return x.add(1)

    return f, []


def unknown_function_of_torch(torch):
    def f(x):
        return torch.unknown(x)

    return f, []


def missing_operand(torch):
    def f(x):
        return torch.add(x)

    return f, []


def import_inside(torch):
    def f(x):
        import math

        return math.sqrt(x)

    return f, []


def set_literal(torch):
    def f(x):
        return {1, 2}

    return f, []


def comprehension_if(torch):
    def f(n: int):
        return [i for i in range(n) if i > 2]

    return f, []


def other_type_in_loop(torch):
    def f(n: int):
        y = 1
        for _ in range(n):
            y = 1.5
        return y

    return f, []


def unpacks_too_few(torch):
    def f(x: tuple[int, str]):
        a, b, c = x
        return a, b, c

    return f, []


def calls_with_other_types(torch):
    def inner(n: int):
        return n

    def f(x):
        return inner("a")

    return f, []


def calls_with_too_many(torch):
    def inner(n: int):
        return n

    def f(x):
        return inner(1, 2)

    return f, []


def iterates_over_int(torch):
    def f(n: int):
        for _ in n:
            pass
        return n

    return f, []


def subscript_of_int(torch):
    def f(n: int):
        return n[0]

    return f, []


def call_of_int(torch):
    def f(n: int):
        return n(1)

    return f, []


def keys_of_two_types(torch):
    def f(x):
        return {"a": 1, 2: 3}

    return f, []


def value_of_another_type(torch):
    def f(d: dict[str, int]):
        d["a"] = "b"
        return d

    return f, []


def annotated_name(torch):
    def f(x):
        y: int = "a"
        return y

    return f, []


def sets_attribute_of_tensor(torch):
    def f(x):
        x.note = 3
        return x

    return f, []


def numpy_of_a_tensor(torch):
    def f(x):
        return x.numpy()

    return f, []


def tolist_without_hint(torch):
    def f(x):
        return x.tolist()

    return f, []


def tuple_index(torch):
    def f(x):
        return (x, 1)[2]

    return f, []


def named_expression(torch):
    def f(x):
        return (y := x) + y

    return f, []


def lists_of_two_types(torch):
    def f(x: list[int]):
        return x + [1.5]

    return f, []


def type_without_contained(torch):
    def f(x: List):  # noqa: UP006
        return x

    return f, []


def else_of_a_loop(torch):
    def f(x):
        for _ in range(3):
            x = x + 1
        else:
            x = x + 2
        return x

    return f, []


def unknown_keyword(torch):
    def f(x):
        return x.sum(unknown=1)

    return f, []
