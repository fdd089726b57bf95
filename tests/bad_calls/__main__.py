from .product import run
import sys, time
start=time.time()
only = sys.argv[1] if len(sys.argv)>1 else ""
counts, wrong = run((lambda n,a,v: v if only in f"{n}({a})" else []))
print("\n".join(wrong))
print(counts, sum(counts.values()), time.time()-start)
