const items = [{ name: "tea", price: 2.5 }, { name: "cake", price: 4 }];
const row = (i) => `<li class="${i.price > 3 ? "dear" : "cheap"}">${i.name} } { ${`nested ${i.price}`}</li>`;
const html = `
  <ul>
    ${items.map((i) => row(i)).join("\n    ")}
  </ul>
`;
const raw = String.raw`C:\temp\${items.length}`;
console.log(html, raw, `unbalanced ( [ {`);
