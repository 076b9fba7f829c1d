const prices = [3, 5, 8];
const total = prices.reduce((sum, p) => sum + p, 0;
console.log(total);
