import { Keyboard, LogOut, Monitor, Moon, Search, Sun } from "lucide-react";
import { csrfToken } from "@/api/client";
import type { Me } from "@/api/me";
import { Button } from "@/parts/Button";
import { useErrorToast } from "@/parts/Toasts";
import { chooseTheme, type Theme, useTheme } from "@/shell/theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function useLeave(): () => Promise<void> {
  const sayProblem = useErrorToast();
  return async () => {
    const answer = await fetch("/logout", {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRF-Token": csrfToken() },
    }).catch(() => undefined);
    if (answer?.ok) location.assign("/");
    else sayProblem(new Error("Signing out did not work. Try again."));
  };
}

export function useNextTheme(): [Theme, () => void] {
  const theme = useTheme();
  return [NEXT[theme], () => chooseTheme(NEXT[theme])];
}

export function WhoAmI({ me, help, find }: { me: Me; help: () => void; find: () => void }) {
  const theme = useTheme();
  const leave = useLeave();
  const Icon = ICONS[theme];
  return (
    <div className="whoami">
      <div className="who">
        <span className="clip">{me.name}</span>
        {me.role !== me.name && <span className="soft small">{me.role}</span>}
      </div>
      <Button kind="quiet" small onClick={find} aria-label="Go to or find" title="Go to or find (Ctrl+K)">
        <Search size={16} aria-hidden="true" />
      </Button>
      <Button
        kind="quiet"
        small
        onClick={() => chooseTheme(NEXT[theme])}
        aria-label={`Colours: ${theme}. Change to ${NEXT[theme]}`}
        title={`Colours: ${theme}`}
      >
        <Icon size={16} aria-hidden="true" />
      </Button>
      <Button kind="quiet" small onClick={help} aria-label="Keys" title="Keys" className="button keys">
        <Keyboard size={16} aria-hidden="true" />
      </Button>
      <Button kind="quiet" small onClick={() => void leave()} aria-label="Sign out" title="Sign out">
        <LogOut size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}
