export class Greeter {
  private name = "x";
  function greet(): string {
    return this.name;
  }
}
