from polhode import *
from polhode import __version__ as __version__
