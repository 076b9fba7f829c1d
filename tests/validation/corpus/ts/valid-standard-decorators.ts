function logged<This, Args extends unknown[], Return>(
  target: (this: This, ...args: Args) => Return,
  context: ClassMethodDecoratorContext<This, (this: This, ...args: Args) => Return>,
) {
  return function (this: This, ...args: Args): Return {
    console.log(String(context.name));
    return target.call(this, ...args);
  };
}

class Service {
  @logged
  run(times: number): number {
    return times * 2;
  }
  accessor ready = false;
  declare readonly id: string;
}
export { Service };
