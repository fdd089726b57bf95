from polhode.viewer import *
