export function connect(host: string = , port: number = 80): string {
  return `${host}:${port}`;
}
