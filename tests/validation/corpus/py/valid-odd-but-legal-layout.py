if True: x = 1; y = 2
else: x = y = 0
total = (
    x +   # a comment ( with a bracket
    y
    )
def f(a,
      b=[1,
         2]): return a
class Empty: ...
for i in range(3): pass
long_condition = x > 0 and \
    y > 0
with open("a") if x else open("b") as handle: print(handle)
	
if x:
	tabbed = 1
elif y: pass
lambda: (yield)
