function greet(name) {
  if (!name) {
    return "hello";
  }
  }
  return `hello ${name}`;
}
