const ADDRESS = /^#(\/(?![/\\]).*)$/;

/** The path that an address of the old form names, such as `/#/sessions/x`. */
export function pathInHash(hash: string): string | undefined {
  return ADDRESS.exec(hash)?.[1];
}

/** Addresses once stood behind a `#`. Links that were kept since then still lead where they led. */
export function leaveHash(): void {
  const replace = () => {
    const path = location.pathname === "/" ? pathInHash(location.hash) : undefined;
    if (path) history.replaceState(history.state, "", path);
  };
  replace();
  addEventListener("hashchange", replace);
}
