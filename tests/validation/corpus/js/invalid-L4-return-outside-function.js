const args = process.argv.slice(2);
if (args.length === 0) {
  console.error("usage: tool FILE");
  return;
}
console.log(args);
