from polhode.integrators import *
