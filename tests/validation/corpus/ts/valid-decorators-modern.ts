function logged<This, Args extends any[], Return>(
  target: (this: This, ...args: Args) => Return,
  context: ClassMethodDecoratorContext<This, (this: This, ...args: Args) => Return>,
) {
  return function (this: This, ...args: Args): Return {
    console.log(`→ ${String(context.name)}`);
    return target.call(this, ...args);
  };
}

@injectable()
@Entity({ name: "users" })
export abstract class Repository<T extends { id: string }, in out K = T> implements Iterable<T>, AsyncDisposable {
  static accessor instances = 0;
  protected readonly items: Map<string, T> = new Map();
  declare private brand: void;
  public override accessor name: string = "repo";
  @Column("varchar") accessor title!: string;

  constructor(@Inject(LOGGER) private readonly logger: Logger, protected clock?: () => number) {}

  get(id: T["id"]): T | undefined;
  get(id: T["id"], fallback: T): T;
  @logged get(id: string, fallback?: T) {
    return this.items.get(id) ?? fallback;
  }

  abstract save(item: T, opts?: { force?: boolean }): Promise<void>;
  *[Symbol.iterator](): Generator<T, void, undefined> { yield* this.items.values(); }
  async [Symbol.asyncDispose](): Promise<void> { this.items.clear(); }
  get size(): number { return this.items.size; }
  set size(_: never) { throw new Error("no"); }
  [key: string]: unknown;
}
