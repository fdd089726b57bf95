from polhode.notebook import *
