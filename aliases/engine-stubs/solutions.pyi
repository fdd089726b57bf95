from polhode.solutions import *
