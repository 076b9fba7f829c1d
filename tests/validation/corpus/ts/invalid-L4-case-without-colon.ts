export function name(code: number): string {
  switch (code) {
    case 200
      return "ok";
    default:
      return "unknown";
  }
}
