const name = "table";
console.log(‘hello’);
