export class Queue<T> {
  #items: T[] = [];

  push(item: T): void {
    this.#items.push(
