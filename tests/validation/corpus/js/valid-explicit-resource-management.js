async function copy(source, target) {
  using reader = source.open();
  await using writer = await target.open({ flag: "wx" });
  for (using part of reader.parts()) {
    await writer.write(part);
  }
  for await (const chunk of reader) {
    if (!chunk?.length) continue;
    await writer.write(chunk);
  }
  return { [Symbol.toStringTag]: "Copy", bytes: writer.bytes };
}

function lockAll(...locks) {
  using stack = new DisposableStack();
  for (const lock of locks) stack.use(lock);
  return stack.move();
}
export { copy, lockAll };
