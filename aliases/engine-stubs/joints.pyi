from polhode.joints import *
