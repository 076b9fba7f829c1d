let count;
count = 1;
const limit;
console.log(count, limit);
