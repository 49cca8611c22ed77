"""Figures read from the text of an HLO module."""

from torchlike._engine.ahead import hlo

TEXT = """\
HloModule jit_f, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

%add (a: f32[], b: f32[]) -> f32[] {
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0:T(128)} parameter(0), metadata={op_name="all-reduce(x)"}
  %start = (f32[8]{0:T(128)}, f32[8]{0:T(128)}) all-reduce-start(%x), replica_groups={{0,1}}, to_apply=%add
  %done = f32[8]{0:T(128)} all-reduce-done(%start)
  %all = f32[16]{0} all-gather(%done), dimensions={0}
  %again = f32[8]{0} all-reduce(%done), to_apply=%add
  %token = token[] after-all()
  %sent = (f32[8]{0}, u32[], token[]) send(%again, %token), channel_id=1, is_host_transfer=true
  %peer = (f32[8]{0}, u32[], token[]) send(%again, %token), channel_id=2
  %out = token[] outfeed(%again, %token)
  %called = f32[8]{0} custom-call(%again), custom_call_target="xla_ffi_python_gpu_callback"
  %library = f32[8]{0} custom-call(%again), custom_call_target="__cublas$gemm"
  %away = f32[8]{0:S(5)} copy(%again)
  ROOT %same = f32[8]{0} copy(%called)
}
"""


def test_collectives_by_kind():
    assert hlo.collectives(TEXT) == {"all-gather": 1, "all-reduce": 2}


# A TPU divides a gather between fusions, and reduces and scatters in a fusion of its own.
TPU = """\
%all-reduce-scatter.1 (input: f32[64]) -> f32[8] {
  %input = f32[64]{0} parameter(0)
  ROOT %sum = f32[64]{0} all-reduce(%input), channel_id=7, to_apply=%add
}

%start_of (x: f32[8]) -> f32[64] {
  ROOT %all.1 = f32[64]{0} all-gather(%x), channel_id=6, dimensions={0}
}

%middle_of (x: f32[8]) -> f32[64] {
  ROOT %all.2 = f32[64]{0} all-gather(%x), channel_id=6, dimensions={0}
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %a = f32[64]{0} fusion(%x), kind=kCustom, calls=%start_of
  %b = f32[64]{0} fusion(%x), kind=kCustom, calls=%middle_of
  %c = f32[8]{0} fusion(%b), kind=kCustom, calls=%all-reduce-scatter.1
  %d = f32[64]{0} all-gather(%c), channel_id=6, dimensions={0}
  ROOT %e = f32[64]{0} all-gather(%c), channel_id=6, dimensions={0}
}
"""


def test_the_parts_of_a_collective_on_a_tpu_count_once():
    assert hlo.collectives(TPU) == {"all-gather": 3, "reduce-scatter": 1}


def test_host_transfers_by_kind():
    assert hlo.host_transfers(TEXT) == {"send": 1, "outfeed": 1, "callback": 1, "copy": 1}


def test_nothing_is_found_in_a_program_without_transfers():
    text = 'ENTRY %main {\n  ROOT %y = f32[2]{0} add(%x, %x), metadata={op_name="outfeed(x) all-reduce(x)"}\n}'
    assert (hlo.collectives(text), hlo.host_transfers(text)) == ({}, {})
