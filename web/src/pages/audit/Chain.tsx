import { Download, Link2, Link2Off } from "lucide-react";
import styles from "@/pages/audit/audit.module.css";
import { useVerify } from "@/pages/audit/data";
import { chainInWords } from "@/pages/audit/filters";
import { Button } from "@/parts/Button";
import { Problem } from "@/parts/Notice";

/** Whether the log is still the one that was written. */
export function Chain() {
  const verify = useVerify();
  return (
    <section className={`card ${styles.chain}`} aria-labelledby="chain" data-holds={verify.data?.holds}>
      <div className="stack">
        <h2 id="chain">Chain</h2>
        <div role="status">
          {verify.isPending ? (
            <p className="row">
              <span className="wheel" aria-hidden="true" /> Checking every record…
            </p>
          ) : (
            <ChainResult state={verify.data} />
          )}
        </div>
        {verify.error && <Problem of={verify.error} />}
      </div>
      <div className="row">
        <Button kind="main" busy={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
        <a className="button" href="/audit/export" download>
          <Download size={16} aria-hidden="true" /> Export
        </a>
      </div>
    </section>
  );
}

function ChainResult({ state }: { state: ReturnType<typeof useVerify>["data"] }) {
  if (!state) {
    return (
      <p className="soft small">
        An edit, a removal or an insertion breaks the chain from there on. Keep the last line of an export somewhere
        safe: a later chain must still contain it.
      </p>
    );
  }
  const Icon = state.holds ? Link2 : Link2Off;
  return (
    <p className={styles.found}>
      <Icon size={18} aria-hidden="true" /> {chainInWords(state)}
    </p>
  );
}
