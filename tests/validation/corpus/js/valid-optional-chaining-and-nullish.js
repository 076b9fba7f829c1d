const config = { server: { port: 8080 }, tags: ["a", "b"] };

export function portOf(settings) {
  const port = settings?.server?.port ?? 3000;
  const first = settings.tags?.[0]?.toUpperCase?.() ?? "none";
  settings.seen ??= 0;
  settings.seen += 1;
  return { port, first };
}

console.log(portOf(config));
