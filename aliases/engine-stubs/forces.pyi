from polhode.forces import *
