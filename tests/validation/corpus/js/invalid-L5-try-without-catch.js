async function load(path) {
  let text = "";
  try {
    text = await read(path);
  }
  return JSON.parse(text);
}
