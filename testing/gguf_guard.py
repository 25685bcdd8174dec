"""`parse` of savante.gguf, for scripts that run from a bare checkout."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from savante.gguf import parse  # noqa: E402

__all__ = ["parse"]
