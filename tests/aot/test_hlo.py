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


def test_host_transfers_by_kind():
    assert hlo.host_transfers(TEXT) == {"send": 1, "outfeed": 1, "callback": 1, "copy": 1}


def test_nothing_is_found_in_a_program_without_transfers():
    text = 'ENTRY %main {\n  ROOT %y = f32[2]{0} add(%x, %x), metadata={op_name="outfeed(x) all-reduce(x)"}\n}'
    assert (hlo.collectives(text), hlo.host_transfers(text)) == ({}, {})
