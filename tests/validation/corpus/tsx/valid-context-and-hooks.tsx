import { createContext, useContext, useMemo, useRef } from "react";

const Theme = createContext<{ dark: boolean } | null>(null);

export function useTheme() {
  const value = useContext(Theme);
  if (value === null) throw new Error("no <Theme> above");
  return value;
}

export default function Box({ dark }: Readonly<{ dark: boolean }>) {
  const ref = useRef<HTMLDivElement>(null!);
  const value = useMemo(() => ({ dark }), [dark]);
  return <Theme value={value}><div ref={ref} /></Theme>;
}
