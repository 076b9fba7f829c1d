const n = Number(process.env.N);
if (n > 10 {
  console.log("many");
} else {
  console.log("few");
}
