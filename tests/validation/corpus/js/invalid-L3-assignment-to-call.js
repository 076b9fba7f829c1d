const state = new Map();
function get(k) { return state.get(k); }
get("a") = 5;
console.log(state);
