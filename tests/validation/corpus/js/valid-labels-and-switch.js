outer: for (let i = 0; i < 3; i++) {
  inner: for (let j = 0; j < 3; j++) {
    switch (i * j) {
      case 0:
      case 1: {
        const note = "low";
        console.log(note);
        continue inner;
      }
      default:
        if (j === 2) break outer;
    }
  }
}

do { var x = 1 } while (false)
if (x) ; else console.log("never")
