from polhode.batch import *
