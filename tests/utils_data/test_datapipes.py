"""Data pipes, compared with PyTorch: elements, lengths, texts of errors, warnings, files, graphs and pickling."""

import functools
import io
import os
import pickle
import warnings
from importlib import import_module

import PIL.Image
import pytest
import torch

import torchlike


def add(x):
    return x + 1


def even(x):
    return x % 2 == 0


def mod(x):
    return x % 2


def names(library):
    """Return the names that the expressions use."""
    data = f"{library.__name__}.utils.data"
    iterating, keyed, common, snapshot, decoder, graph, settings = (
        import_module(f"{data}.{name}")
        for name in (
            *("datapipes.iter", "datapipes.map", "datapipes.utils.common", "datapipes.utils.snapshot"),
            *("datapipes.utils.decoder", "graph", "graph_settings"),
        )
    )

    class Endless(library.utils.data.IterDataPipe):
        def __iter__(self):
            yield from [1, 2]

    class Counting(library.utils.data.IterDataPipe):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            yield from range(self.n)

    modules = {"I": iterating, "M": keyed, "C": common, "S": snapshot, "K": decoder, "G": graph, "GS": settings}
    pipes = {"W": iterating.IterableWrapper, "Q": keyed.SequenceWrapper, "R": iterating.IterableWrapper(range(10))}
    functions = {"add": add, "even": even, "mod": mod, "nolen": Endless, "gen": Counting, "functools": functools}
    return {**modules, **pipes, **functions, "D": library.utils.data, "torch": library, "io": io, "pickle": pickle}


def seen(library, source):
    """Return the result of an expression or its error as text, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(eval(source, names(library)))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result.replace("torchlike.", "torch."), [(each.category, str(each.message)) for each in caught]


SOURCES = [
    "list(R)",
    "len(R)",
    "list(R.map(add))",
    "list(R.map(lambda x:x))",
    "len(R.map(add))",
    "len(nolen().map(add))",
    "R.map(1)",
    "R.map(lambda a,b:1)",
    "R.map(lambda a,*,b:1)",
    "R.map(functools.partial(lambda a,b:1,1))",
    "R.map(add,output_col=1)",
    "list(W([(1,2,3),(4,5,6)]).map(add,input_col=1))",
    "list(W([(1,2,3),(4,5,6)]).map(lambda a,b:a+b,input_col=[0,2]))",
    "list(W([(1,2,3)]).map(add,input_col=0,output_col=-1))",
    "list(W([[1,2,3]]).map(add,input_col=0,output_col=2))",
    'list(W([{"a":1}]).map(add,input_col="a",output_col="b"))',
    'list(W([{"a":1,"b":2}]).map(lambda x,y:x+y,input_col=["a","b"]))',
    "W([]).map(add,0,[1,2])",
    "list(W([(1,2)]).map(lambda a,b:a*b,input_col=(0,1),output_col=[1]))",
    "W([1]).map(add,input_col=[0,1])",
    "list(R.filter(even))",
    "len(R.filter(even))",
    "list(R.filter(add))",
    "list(W([(1,2),(2,3)]).filter(even,input_col=0))",
    "list(W([(1,2),(2,3)]).filter(lambda a,b:a==2,input_col=[0,1]))",
    "list(R.filter(lambda x: torch.tensor(x>3)))",
    "list(R.batch(3))",
    "list(R.batch(3,drop_last=True))",
    "len(R.batch(3))",
    "len(R.batch(3,drop_last=True))",
    "R.batch(0)",
    "type(next(iter(R.batch(3)))).__name__",
    "list(R.batch(3).batch(2))",
    "list(R.batch(2).batch(2).unbatch())",
    "list(R.batch(2).batch(2).unbatch(2))",
    "list(R.batch(2).batch(2).unbatch(-1))",
    "list(R.batch(2).unbatch(3))",
    "list(R.unbatch(-2))",
    "len(R.batch(2).unbatch())",
    "len(nolen().batch(2))",
    "list(R.batch(3,wrapper_class=tuple))",
    "list(R.groupby(mod))",
    "list(R.groupby(mod,group_size=2))",
    "list(R.groupby(mod,keep_key=True,group_size=3))",
    "list(R.groupby(lambda x:x%3,buffer_size=4))",
    "list(R.groupby(lambda x:x%3,buffer_size=4,group_size=3,guaranteed_group_size=2))",
    "list(R.groupby(lambda x:x%5,buffer_size=4,group_size=3))",
    "list(R.groupby(lambda x:x%5,buffer_size=4,group_size=3,drop_remaining=True))",
    "R.groupby(mod,group_size=0)",
    "R.groupby(mod,group_size=2,guaranteed_group_size=3)",
    "R.groupby(mod,guaranteed_group_size=3)",
    "len(R.groupby(mod))",
    "list(R.groupby(lambda x:x%3,buffer_size=4,keep_key=True))",
    "list(R.shuffle().set_seed(3))",
    "list(R.shuffle(buffer_size=3).set_seed(3))",
    "list(R.shuffle(buffer_size=1).set_seed(3))",
    "R.shuffle(buffer_size=0)",
    "len(R.shuffle())",
    "list(R.shuffle().set_shuffle(False))",
    "list(R.batch(2).shuffle(unbatch_level=1).set_seed(1))",
    "(torch.manual_seed(5),list(R.shuffle()))[1]",
    "(torch.manual_seed(5),list(R.shuffle()),torch.randn(1))[2].item()",
    "(lambda d:(list(d.set_seed(1)),(torch.manual_seed(2),list(d))[1]))(R.shuffle())",
    'list(R.concat(W("ab")))',
    'len(R.concat(W("ab")))',
    "I.Concater()",
    "R.concat([1])",
    'list(R.zip(W("ab"),W("xyz")))',
    'len(R.zip(W("ab")))',
    "I.Zipper([1])",
    'list(R.mux(W("ab")))',
    'len(R.mux(W("ab")))',
    "len(R.mux(nolen()))",
    "len(R.concat(nolen()))",
    "list(I.Zipper())",
    "list(I.Multiplexer())",
    "[list(d) for d in R.fork(2)]",
    "R.fork(0)",
    "R.fork(1) is R",
    "len(R.fork(2)[0])",
    "[list(d) for d in R.fork(2,buffer_size=3)]",
    'R.fork(2,copy="x")',
    "R.fork(2,buffer_size=-1)",
    "(lambda a,b:[next(x) for x in (iter(a),)]+list(b))(*R.fork(2))",
    "(lambda a,b: list(a.zip(b)))(*R.fork(2,buffer_size=1))",
    '(lambda a,b:[x is y for x,y in zip(a,b)])(*W([[1]]).fork(2,copy="deep"))',
    "(lambda a,b:(list(a),list(b),list(a),list(b)))(*R.fork(2))",
    "(lambda a,b:(list(a),list(a)))(*R.fork(2))",
    "[list(d) for d in R.demux(2,mod)]",
    "R.demux(0,mod)",
    "R.demux(2,1)",
    "len(R.demux(2,mod)[0])",
    "[list(d) for d in R.demux(2,add)]",
    "[list(d) for d in R.demux(2,lambda x: None if x<4 else x%2,drop_none=True)]",
    "[list(d) for d in R.demux(2,lambda x: None)]",
    "[list(d) for d in R.demux(2,mod,buffer_size=2)]",
    "R.demux(2,mod,buffer_size=-1)",
    "(lambda a,b:(list(a),list(b),list(a),list(b)))(*R.demux(2,mod))",
    "(lambda a,b:(list(a),list(a)))(*R.demux(2,mod))",
    "list(I.Sampler(R))",
    "len(I.Sampler(R))",
    "I.Sampler(nolen())",
    "list(I.Sampler(R,D.SequentialSampler))",
    '(torch.manual_seed(1),list(I.Sampler(R,D.RandomSampler,sampler_kwargs={"num_samples":4,"replacement":True})))[1]',
    "list(R.sharding_filter())",
    "(lambda s:(s.apply_sharding(3,1),list(s),len(s)))(R.sharding_filter())",
    "R.sharding_filter().apply_sharding(2,2)",
    "(lambda s:(s.apply_sharding(2,1,2),s.apply_sharding(3,2,3),list(s),s.instance_id))(R.sharding_filter())",
    "(lambda s:(s.apply_sharding(2,1),s.apply_sharding(3,2,3)))(R.sharding_filter())",
    "(lambda s:(s.apply_sharding(3,2,3),s.apply_sharding(2,1)))(R.sharding_filter())",
    "(lambda s:(s.apply_sharding(3,2),s.apply_sharding(2,1),list(s)))(R.sharding_filter())",
    "(lambda s:(s.apply_sharding(2,1,2),s.apply_sharding(3,2,3),list(s)))(R.sharding_filter(sharding_group_filter=3))",
    "list(R.batch(2).collate())",
    "list(R.batch(2).collate(lambda b: sum(b)))",
    "list(R.batch(2).collate(collate_fn=sum))",
    'list(W([{"a":1,"b":2.}]*2).batch(2).collate())',
    "R",
    "str(R.map(add))",
    "repr([R.batch(2)])",
    "R.nothing",
    '"map" in dir(R)',
    "R.map.__doc__ is not None",
    "type(R).__name__",
    "isinstance(R,D.IterableDataset)",
    "type(R+R).__name__",
    "(lambda a,b:(next(a),next(b),next(a)))(iter(R),iter(R))",
    "(lambda a:(lambda i,j:(next(j),next(i)))(iter(a),iter(a)))(gen(3))",
    "(lambda d:(lambda a,b:(next(b),next(a)))(iter(d),iter(d)))(R.map(add).filter(even))",
    "(lambda a,b:(lambda i,j,k:(next(k),next(i)))(iter(a),iter(b),iter(a)))(*R.fork(2))",
    "(lambda a,b:(lambda i,j,k:(next(k),next(j)))(iter(a),iter(b),iter(a)))(*R.fork(2))",
    "list(R.map(lambda x:1/x))",
    "list(R.map(lambda x:(_ for _ in ()).throw(ValueError(3))))",
    'list(R.map(lambda x:(_ for _ in ()).throw(ValueError("a","b"))))',
    "list(R.map(lambda x:{}[x]).batch(2))",
    "pickle.loads(pickle.dumps(R.batch(2)))",
    "list(pickle.loads(pickle.dumps(R.map(add).shuffle().set_seed(1))))",
    "[list(d) for d in pickle.loads(pickle.dumps(R.fork(2)))]",
    "[list(d) for d in pickle.loads(pickle.dumps(R.demux(2,mod)))]",
    "list(pickle.loads(pickle.dumps(R.groupby(mod))))",
    'list(pickle.loads(pickle.dumps(R.mux(W("ab")))))',
    "list(pickle.loads(pickle.dumps(Q(range(5)).shuffle().set_seed(2))))",
    "(lambda d:(next(iter(d)),pickle.loads(pickle.dumps(d))._number_of_samples_yielded))(R.batch(2))",
    "list(Q(range(4)))",
    'len(Q("ab"))',
    'Q({"a":1})["a"]',
    "list(Q(range(4)).map(add))",
    "list(Q(range(5)).batch(2))",
    "len(Q(range(5)).batch(2))",
    "list(Q(range(5)).batch(2,drop_last=True))",
    "len(Q(range(5)).batch(2,True))",
    "Q(range(5)).batch(2)[9]",
    "Q(range(5)).batch(2,True)[2]",
    "Q(range(3)).batch(0)",
    'list(Q(range(3)).concat(Q("ab")))',
    'Q(range(3)).concat(Q("ab"))[5]',
    'len(Q(range(3)).concat(Q("ab")))',
    "M.Concater()",
    "Q([1]).concat([1])",
    'list(Q(range(3)).zip(Q("ab")))',
    'Q(range(3)).zip(Q("ab"))[2]',
    'len(Q(range(3)).zip(Q("ab")))',
    "M.Zipper()",
    "list(Q(range(6)).shuffle().set_seed(0))",
    "(lambda d:(list(d.set_seed(0)),list(d.set_seed(0))))(Q(range(6)).shuffle())",
    "(torch.manual_seed(1),list(Q(range(6)).shuffle()))[1]",
    "list(Q(range(6)).shuffle().set_shuffle(False))",
    'list(Q("abc").shuffle(indices=[2,0]).set_seed(1))',
    'len(Q("abc").shuffle())',
    "Q([1]).nothing",
    "Q([1])",
    'Q(x for x in "a")',
    'list(W((x for x in "a")))',
    "type(Q([1])+Q([2])).__name__",
    "D.DataChunk([1,2])",
    'D.DataChunk([1,2]).as_str(" ")',
    "list(D.DataChunk([1]).raw_iterator())",
    "D.DataChunk([1])==[1]",
    "D.non_deterministic(int)",
    "D.non_deterministic(3)",
    "D.runtime_validation(add)",
    "C.validate_input_col(add,[0,1])",
    "C.validate_input_col(len,[0,1])",
    "C.validate_input_col(lambda *a:1,[0,1])",
    "C.validate_input_col(lambda a,b=1:1,None)",
    "C.validate_input_col(lambda **k:1,None)",
    'C.match_masks("a.txt","*.csv")',
    'C.match_masks("a.txt",[])',
    "C.validate_pathname_binary_tuple([1])",
    "C.validate_pathname_binary_tuple((1,2,3))",
    "C.validate_pathname_binary_tuple((1,2))",
    'C.validate_pathname_binary_tuple(("a",2))',
    'list(I.StreamReader(W([("a",io.StringIO("abc"))],deepcopy=False),chunk=2))',
    'list(W([("a",io.StringIO("abc"))],deepcopy=False).read_from_stream())',
    'I.FileOpener([],"w")',
    'I.FileOpener([],"rb",encoding="a")',
    "len(I.FileOpener([]))",
    "len(I.FileOpener([],length=3))",
    "len(I.FileLister(length=2))",
    'len(I.FileLister("."))',
    "list(I.FileOpener([1]))",
    'list(I.FileLister("/nonexistent/x"))',
    "[len(G.traverse_dps(d)) for d in (R,R.batch(2))]",
    'GS.get_all_graph_pipes(G.traverse_dps(R.map(add).zip(R.batch(2),W("a"))))',
    "GS.get_all_graph_pipes(G.traverse_dps(R.fork(2)[0].zip(R.shuffle())))",
    "G.traverse_dps(1)",
    "len(G.traverse(R))",
    "len(G.traverse(R,True))",
    "GS.get_all_graph_pipes(G.traverse_dps(Q([1]).map(add).shuffle().batch(2)))",
    "list(GS.apply_sharding(R.sharding_filter().map(add),3,1))",
    "GS.apply_sharding(R.sharding_filter().map(add).sharding_filter(),3,1)",
    "list(GS.apply_shuffle_settings(R.shuffle(),False))",
    "list(GS.apply_random_seed(R.shuffle(),torch.Generator().manual_seed(3)))",
    "list(GS.apply_random_seed(R.shuffle().zip(R.shuffle()),torch.Generator().manual_seed(3)))",
    "GS.apply_shuffle_settings(R,True)",
    "GS.apply_shuffle_settings(R,None)",
    "GS.apply_shuffle_seed(R,None)",
    "(lambda d:(S._simple_graph_snapshot_restoration(d,3),next(iter(d)),d._number_of_samples_yielded))(R.map(add))",
    "(lambda d:(S._simple_graph_snapshot_restoration(d,3),list(d),list(d)))(R.map(add))",
    "(lambda d:(S._simple_graph_snapshot_restoration(d,3,torch.Generator().manual_seed(1)),list(d)))(R.shuffle())",
    "(lambda d:(S._simple_graph_snapshot_restoration(d,3),S._simple_graph_snapshot_restoration(d,3)))(R.map(add))",
    "S._simple_graph_snapshot_restoration(R.map(add),30)",
]

FILES = [
    'list(I.FileLister("."))',
    'list(I.FileLister(".",recursive=True))',
    'list(I.FileLister([".","s"],"*.txt"))',
    'list(I.FileLister("a.txt"))',
    'list(W(["."]).list_files(recursive=True,masks=["*.json","*.cls"]))',
    '[(p,f.read()) for p,f in I.FileLister(".","*.txt").open_files("b")]',
    'list(I.FileLister(".","*.txt").open_files("t").read_from_stream())',
    'next(iter(W(["a.txt"]).open_files()))[1].__class__.__name__',
    'list(W(["a.txt"]).open_files("b").routed_decode(lambda k,d: k))',
    'list(W(["i.png"]).open_files("b").routed_decode(K.imagehandler("rgb8")))',
]


@pytest.mark.parametrize("source", SOURCES)
def test_same(source):
    assert seen(torchlike, source) == seen(torch, source)


@pytest.mark.parametrize("source", FILES)
def test_files(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.txt", "a.txt", "s/c.json", "s/d.txt", "n.cls"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        (tmp_path / name).write_text("7")
    PIL.Image.new("RGB", (2, 2), (255, 0, 128)).save("i.png")
    assert seen(torchlike, source) == seen(torch, source)


def test_decorators():
    def program(library):
        data = library.utils.data

        @data.functional_datapipe(f"twice_of_{library.__name__}")
        class Twice(data.IterDataPipe):
            def __init__(self, source):
                self.source = source

            def __iter__(self):
                for x in self.source:
                    yield 2 * x

        @data.non_deterministic
        class Random(data.IterDataPipe):
            pass

        @data.argument_validation
        def checked(pipe: data.IterDataPipe):  # type: ignore[valid-type]
            return pipe

        source = names(library)["R"]
        found = [list(getattr(source, f"twice_of_{library.__name__}")()), repr(Random())]
        with data.guaranteed_datapipes_determinism():
            found.append(error_of(Random))
        found += [error_of(lambda: checked(1)), error_of(lambda: checked(source)), error_of(lambda: Twice(1).nothing)]
        found.append(error_of(lambda: data.functional_datapipe("map")(Twice)))
        data.IterDataPipe.set_getstate_hook(lambda state: state)
        found.append(error_of(lambda: data.IterDataPipe.set_getstate_hook(len)))
        data.IterDataPipe.set_getstate_hook(None)
        return found

    assert program(torchlike) == program(torch)


def error_of(function):
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def test_pipes_that_are_their_own_iterators():
    def program(library):
        class Own(library.utils.data.IterDataPipe):
            def __iter__(self):
                self.place = 0
                return self

            def __next__(self):
                if self.place == 3:
                    raise StopIteration
                self.place += 1
                return self.place

        pipe = Own()
        first = iter(pipe)
        found = [next(first), pipe._number_of_samples_yielded, list(pipe), pipe._number_of_samples_yielded]
        return [*found, error_of(lambda: next(first)), list(pipe.map(add)), pipe._snapshot_state.name]

    assert program(torchlike) == program(torch)


def test_data_frames_are_refused():
    from torchlike.utils.data.datapipes.dataframe import CaptureDataFrame, DataFramesAsTuplesPipe

    for name in (CaptureDataFrame, DataFramesAsTuplesPipe, torchlike.utils.data.DFIterDataPipe):
        with pytest.raises(NotImplementedError, match="dataframe is not supported by torchlike"):
            name()
