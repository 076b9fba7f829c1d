let colours = ["red", "green"
print(colours)
let x = 1
