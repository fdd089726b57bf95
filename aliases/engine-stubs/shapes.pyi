from polhode.shapes import *
