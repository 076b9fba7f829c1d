const greeting = "good morning;
const name = "Ada";
console.log(greeting, name);
