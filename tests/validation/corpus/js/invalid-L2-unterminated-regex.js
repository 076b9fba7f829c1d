const text = "2024-01-02";
const pattern = /(\d{4})-(\d{2};
console.log(text.match(pattern));
