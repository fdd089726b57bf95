from polhode.plot import *
