function observer<T extends new (...args: any[]) => object>(target: T, _: ClassDecoratorContext) { return target; }

@observer
export class Store {
  accessor count: number = 0;
  static #made = 0;
  private readonly names: Map<string, Set<number>> = new Map();
  get view(): JSX.Element { return <output>{this.count}{this.names.size}</output>; }
  protected async load?(): Promise<void>;
}
