"The tests run from a checkout, installed or not, in the foreground or not."
import signal, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path: sys.path.insert(0, str(ROOT))

# a job in the background of a shell starts with interrupts ignored, and so would everything that it starts
signal.signal(signal.SIGINT, signal.default_int_handler)
