import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useMe } from "@/api/me";
import { CallPage } from "@/pages/gateway/CallPage";
import { Calls } from "@/pages/gateway/Calls";
import { useCallsAreLive, usePins, useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { Intents } from "@/pages/gateway/Intents";
import { NoGateway } from "@/pages/gateway/NoGateway";
import { Quarantine } from "@/pages/gateway/Quarantine";
import { Rules, type RulesDraft } from "@/pages/gateway/Rules";
import { Tools } from "@/pages/gateway/Tools";
import { Upstreams } from "@/pages/gateway/Upstreams";
import { Badge } from "@/parts/Badge";
import { useDraft } from "@/parts/drafts";
import { Tabs } from "@/parts/Tabs";
import { PageHead } from "@/shell/PageHead";

const ABOUT = "Tools of other servers, under your rules: what only reads runs, what changes something asks a person.";

export default function Gateway() {
  const configured = useMe().data?.features.gateway === true;
  // Upstreams can be added at any time, also where none is configured.
  const added = (useUpstreams().data?.count ?? 0) > 0;
  const offered = configured || added;
  return (
    <div className="page">
      <PageHead title="Gateway" about={ABOUT} />
      {offered ? <GatewayTabs /> : <NoGateway />}
    </div>
  );
}

function GatewayTabs() {
  const [location, go] = useLocation();
  // Neither a look at another tab nor a reload throws away what somebody has written.
  const [{ draft }, keep] = useDraft<{ draft: RulesDraft | null }>("rules", { draft: null });
  const setDraft = (next: RulesDraft | null) => keep({ draft: next });
  const held = usePins().data?.count ?? 0;
  useCallsAreLive();
  const call = location.startsWith("/gateway/calls/") ? location.split("/")[3] : undefined;
  const tabs = [
    { id: "", title: "Upstreams", body: <Upstreams /> },
    { id: "tools", title: "Tools", body: <Tools /> },
    { id: "quarantine", title: <QuarantineTitle count={held} />, body: <Quarantine /> },
    { id: "rules", title: draft ? "Rules (editing)" : "Rules", body: <Rules draft={draft} setDraft={setDraft} /> },
    { id: "calls", title: "Calls", body: call ? <CallPage key={call} id={call} /> : <Calls /> },
    { id: "intents", title: "Intents", body: <Intents /> },
  ];
  const requested = location.split("/")[2] ?? "";
  const chosen = tabs.find((tab) => tab.id === requested)?.id ?? "";
  const box = useRef<HTMLDivElement>(null);
  // On a phone the row of tabs is wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the chosen tab
  useEffect(() => {
    box.current
      ?.querySelector("[role=tab][data-state=active]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  return (
    <div ref={box}>
      <Tabs
        label="Parts of the gateway"
        tabs={tabs}
        chosen={chosen}
        choose={(id) => go(id ? `/gateway/${id}` : "/gateway")}
      />
    </div>
  );
}

function QuarantineTitle({ count }: { count: number }) {
  return (
    <span className={styles.tab}>
      Quarantine{" "}
      {count > 0 && (
        <Badge tone="warn">
          {count}
          <span className="hidden-but-read"> waiting</span>
        </Badge>
      )}
    </span>
  );
}
