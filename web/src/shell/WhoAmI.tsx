import { Keyboard, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { csrfToken } from "@/api/client";
import type { Me } from "@/api/me";
import { Button } from "@/parts/Button";
import { useErrorToast } from "@/parts/Toasts";
import { chooseTheme, type Theme, useTheme } from "@/shell/theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function WhoAmI({ me, help }: { me: Me; help: () => void }) {
  const theme = useTheme();
  const sayProblem = useErrorToast();
  const Icon = ICONS[theme];
  const leave = async () => {
    const answer = await fetch("/logout", {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRF-Token": csrfToken() },
    }).catch(() => undefined);
    if (answer?.ok) location.assign("/");
    else sayProblem(new Error("Signing out did not work. Try again."));
  };
  return (
    <div className="whoami">
      <div className="who">
        <span className="clip">{me.name}</span>
        {me.role !== me.name && <span className="soft small">{me.role}</span>}
      </div>
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
