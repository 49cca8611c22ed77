"""openai-whisper: spectrogram, greedy and beam search with a small model, gradients."""

import numpy as np
import torch
import whisper
from whisper.model import ModelDimensions, Whisper

torch.manual_seed(0)
d = ModelDimensions(
    n_mels=80,
    n_audio_ctx=1500,
    n_audio_state=32,
    n_audio_head=2,
    n_audio_layer=1,
    n_vocab=51865,
    n_text_ctx=448,
    n_text_state=32,
    n_text_head=2,
    n_text_layer=1,
)
m = Whisper(d)
torch.nn.init.normal_(m.decoder.positional_embedding, std=0.02)
a = np.sin(np.arange(16000 * 3) / 16000 * 440 * 6.28).astype("float32")
mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(torch.from_numpy(a)))
print(mel.shape, round(mel.double().sum().item(), 2))
r = whisper.decode(m, mel, whisper.DecodingOptions(language="en", fp16=False, without_timestamps=True, sample_len=8))
print(r.tokens, round(r.avg_logprob, 4))
r = whisper.decode(m, mel, whisper.DecodingOptions(language="en", fp16=False, beam_size=2, sample_len=6))
print(r.tokens)
lo = m(mel[None], torch.randint(0, 100, (1, 5)))
print(lo.shape, round(lo.double().abs().mean().item(), 5))
lo.logsumexp(-1).sum().backward()
print(round(m.encoder.conv1.weight.grad.abs().sum().item(), 2))
