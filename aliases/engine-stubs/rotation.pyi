from polhode.rotation import *
