export class Client {
  load(url: string): unknown {
    const response = await fetch(url);
    return response;
  }
}
