"""Three voices for the cocktail party, and sound that a page can play."""

import base64
import html
import io
import wave

import numpy as np

from mlcore.base import check_array, check_number
from mlcore.takes import takes

RATE = 8000  # samples a second


@takes(seconds="number > 0", rate="integer >= 1", rng="rng")
def make_voices(seconds=1.0, rate=RATE, rng=0):
    """Three sources (n, 3) of variance 1: plucked notes and a rattle, both heavy-tailed, and a steady organ tone, which is not.

    >>> make_voices(seconds=0.5).shape
    (4000, 3)
    """
    check_number(seconds, "seconds", low=0, open_low=True)
    if not 2 <= seconds * rate <= 1e8:
        raise ValueError(f"seconds * rate must be a number of samples from 2 to 1e8, got {seconds * rate:.6g}.")
    rng = np.random.default_rng(rng)
    t = np.arange(int(seconds * rate)) / rate
    notes = np.zeros_like(t)
    for start, pitch in zip(np.arange(5) * 0.2, (392.0, 523.25, 659.25, 523.25, 784.0)):
        since = np.clip(t - start, 0, None)
        notes += (t >= start) * np.exp(-14 * since) * np.sin(2 * np.pi * pitch * since)
    organ = np.sin(2 * np.pi * 220 * t) + 0.3 * np.sin(2 * np.pi * 660 * t)
    rattle = rng.normal(size=len(t)) * np.exp(-30 * ((t + 0.07) % 0.125))
    S = np.column_stack([notes, organ, rattle])
    return (S - S.mean(axis=0)) / S.std(axis=0)


@takes(signal="n", rate="integer >= 1")
def wav_bytes(signal, rate=RATE):
    """The signal as a WAV file: one channel, 8 bits a sample, scaled to its largest value.

    >>> wav_bytes([0.0, 1.0, -1.0])[:4], list(wav_bytes([0.0, 1.0, -1.0])[-3:])
    (b'RIFF', [128, 255, 1])
    """
    signal = check_array(signal, name="signal", ndim=1)
    peak = np.abs(signal).max()
    scaled = np.round(signal / peak if peak > 0 else signal, 9)  # the last bits of another processor must not turn a sample
    samples = (128 + np.round(127 * scaled)).astype(np.uint8)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(int(rate))
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


@takes(signals=dict, rate="integer >= 1")
def players(signals, rate=RATE):
    """HTML with one labeled audio element per entry of ``signals``, a dictionary from label to signal."""
    rows = []
    for label, signal in signals.items():
        text = html.escape(label)
        data = base64.b64encode(wav_bytes(signal, rate)).decode("ascii")
        seconds = len(signal) / rate
        rows.append(f'<p style="display:flex;flex-wrap:wrap;align-items:center;gap:0.3rem 1rem;margin:0.4rem 0">'
                    f'<span style="min-width:13rem">{text}</span>'
                    f'<audio controls preload="metadata" aria-label="{text}, {seconds:.1f} seconds" '
                    f'src="data:audio/wav;base64,{data}">{text}: {seconds:.1f} seconds of sound, which this reader cannot play.'
                    f"</audio></p>")
    return '<div class="sound-players">' + "".join(rows) + "</div>"
