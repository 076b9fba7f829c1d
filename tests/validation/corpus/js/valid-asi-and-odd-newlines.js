let a = 1, b = 2
let c = a
  + b
const
  fn
  = function
  named (
    x,
    y = x => x * 2,
  ) {
    return x
      ? y(x)
      : null
  }
var yieldCount = 0, async = 1, of = 2, get = 3, let_ = 4
a = b
++c
console.log(fn(a), async, of, get, let_)
