class Handle implements Disposable {
  constructor(private readonly name: string) {}
  [Symbol.dispose](): void {
    console.log(`closed ${this.name}`);
  }
}

export function read(): void {
  using handle = new Handle("file");
  console.log(handle);
}

export async function readLater(open: () => Promise<AsyncDisposable>): Promise<void> {
  await using resource = await open();
  console.log(resource);
}
