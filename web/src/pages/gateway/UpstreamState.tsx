import type { ReactNode } from "react";
import type { Upstream } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { scopeOf } from "@/pages/gateway/words";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** How an upstream runs, what it said last, and which of its tools nobody is offered. */
export function UpstreamState({ upstream }: { upstream: Upstream }) {
  const { status, warning, withheld } = upstream;
  return (
    <>
      {warning && (
        <div className="notice">
          <Text>{warning}</Text>
        </div>
      )}
      <p className="soft small">
        {scopeOf(upstream.scope)}
        {status.restarts > 0 && `, started again ${status.restarts === 1 ? "once" : `${status.restarts} times`}`}
      </p>
      {status.last_error && (
        <p className="small">
          Last error{status.last_error_at && " "}
          {status.last_error_at && <Time at={status.last_error_at} />}: <Text>{status.last_error}</Text>
        </p>
      )}
      {withheld.length > 0 && (
        <Folded title={withheld.length === 1 ? "1 tool is left out" : `${withheld.length} tools are left out`}>
          <ul className="plain-list small">
            {withheld.map((tool) => (
              <li key={`${tool.kind}/${tool.tool}`}>
                <span className="mono">
                  <Text>{tool.tool}</Text>
                </span>
                , {tool.kind}: <Text>{tool.reason}</Text>
              </li>
            ))}
          </ul>
        </Folded>
      )}
      {status.log.length > 0 && (
        <Folded title="What it wrote last">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre className={styles.definition} tabIndex={0}>
            <Text>{status.log.join("\n")}</Text>
          </pre>
        </Folded>
      )}
    </>
  );
}

function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary className="small">{title}</summary>
      {children}
    </details>
  );
}
