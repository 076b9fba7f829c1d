type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

async function* pages<T>(load: (page: number) => Promise<Result<T[]>>): AsyncGenerator<T, void, undefined> {
  for (let page = 0; ; page++) {
    const result = await load(page);
    if (!result.ok) throw result.error;
    if (result.value.length === 0) return;
    yield* result.value;
  }
}

const exhaustive = (x: never): never => { throw new Error(`unexpected: ${x}`); };
export { pages, exhaustive };
