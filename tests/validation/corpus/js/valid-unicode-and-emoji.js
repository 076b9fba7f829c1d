const größe = 42;
const π = Math.PI;
const 名前 = "太郎 👩‍👩‍👧";
const \u0061bc = "escaped identifier";
const party = { "🎉": true, café: "ouvert", [`${名前}!`]: größe };
console.log(π, party["🎉"], "\u{1F600}", abc);
