from polhode.diagnostics import *
