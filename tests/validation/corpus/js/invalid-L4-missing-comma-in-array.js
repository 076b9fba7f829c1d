const colours = [
  "red",
  "green"
  "blue",
];
console.log(colours.length);
