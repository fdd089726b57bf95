from polhode.campaign import *
