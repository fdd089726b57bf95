from polhode.flight import *
