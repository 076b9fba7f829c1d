let user = { id: 1 };
user.name = "Ada";

let user = { id: 2 };
console.log(user);
