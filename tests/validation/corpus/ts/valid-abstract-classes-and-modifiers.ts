export abstract class Repository<T extends { id: string }, K = T["id"]> {
  protected abstract readonly table: string;
  static readonly defaults: Readonly<{ limit: number }> = { limit: 10 };
  private cache?: Map<K, T>;
  public constructor(protected db: unknown, public override?: boolean) {}
  abstract find(id: K): Promise<T | null>;
  get size(): number { return this.cache?.size ?? 0; }
  [key: `data-${string}`]: unknown;
}

export class Users extends Repository<{ id: string }> {
  protected override readonly table = "users";
  override async find(id: string) { return { id }; }
}
