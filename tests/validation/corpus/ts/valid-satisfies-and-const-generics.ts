type Route = { path: string; auth?: boolean };

const routes = {
  home: { path: "/" },
  admin: { path: "/admin", auth: true },
} as const satisfies Record<string, Route>;

function tuple<const T extends readonly unknown[]>(...items: T): T {
  return items;
}

export const pair = tuple("a", 1);
export type RouteName = keyof typeof routes;
