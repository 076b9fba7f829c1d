const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function main() {
  await wait(10)
  const values = [1, 2, 3]
  let sum = 0
  for (const v of values) sum += v
  ;[sum] = [sum * 2]
  return sum
}

main()
  .then((total) => console.log(total))
  .catch(console.error)
