from polhode.scalar import *
