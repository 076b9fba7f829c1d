import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

export interface Tab {
  id: string;
  title: ReactNode;
  body: ReactNode;
}

/** Only the chosen tab is in the page. */
export function Tabs({
  label,
  tabs,
  chosen,
  choose,
}: {
  label: string;
  tabs: Tab[];
  chosen: string;
  choose: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is found in the page
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>("[data-state=active]");
    if (row && tab) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [chosen]);
  return (
    <Radix.Root value={chosen} onValueChange={choose} className="stack">
      <Radix.List ref={list} className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id}>
            {tab.title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id}>
          {tab.body}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
