import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "longtable-theme";
const dark = typeof matchMedia === "undefined" ? undefined : matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(): void {
  const theme = chosenTheme();
  const shown = theme === "system" ? (dark?.matches ? "dark" : "light") : theme;
  document.documentElement.dataset.theme = shown;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const watcher of watchers) watcher();
}

export function useTheme(): Theme {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, chosenTheme);
}

dark?.addEventListener("change", applyTheme);
