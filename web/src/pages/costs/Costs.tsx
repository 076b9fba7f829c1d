import { Coins, X } from "lucide-react";
import { useId } from "react";
import { Link, useLocation, useSearch } from "wouter";
import type { Schemas } from "@/api/client";
import styles from "@/pages/costs/costs.module.css";
import { Days } from "@/pages/costs/Days";
import { useCostsAreLive, useUsage } from "@/pages/costs/data";
import {
  addressOf,
  type CostsFilter,
  costInWords,
  filterOf,
  type Measure,
  PERIODS,
  tokensInWords,
} from "@/pages/costs/numbers";
import { Shares } from "@/pages/costs/Shares";
import { Button } from "@/parts/Button";
import { Choice, type Option } from "@/parts/Choice";
import { Code } from "@/parts/Code";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { PageHead } from "@/shell/PageHead";

const ABOUT = "What the models of your agents read, wrote and cost, as the agents report it.";

export default function Costs() {
  const [, go] = useLocation();
  const filter = filterOf(useSearch());
  const byDay = useUsage("day", filter);
  useCostsAreLive();
  const change = (part: Partial<CostsFilter>) => go(addressOf({ ...filter, ...part }), { replace: true });
  return (
    <div className="page">
      <PageHead title="Costs" about={ABOUT} />
      <Loaded query={byDay} what="the costs">
        {(days) => {
          const measure = filter.measure ?? (days.total.cost === undefined ? "tokens" : "cost");
          return (
            <div className="stack">
              <CostFilters filter={filter} measure={measure} change={change} />
              {days.total.reports === 0 ? (
                <Nothing filter={filter} change={change} />
              ) : (
                <>
                  <Totals total={days.total} />
                  <Days rows={days.usage} days={filter.days} measure={measure} />
                  <Groups filter={filter} measure={measure} />
                </>
              )}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

function Groups({ filter, measure }: { filter: CostsFilter; measure: Measure }) {
  const agents = useUsage("agent", filter);
  const sessions = useUsage("session", filter);
  return (
    <div className={styles.groups}>
      <Loaded query={agents} what="the agents">
        {({ usage }) => (
          <Shares
            title="By agent"
            rows={usage}
            measure={measure}
            nameOf={(row) => row.agent ?? ""}
            linkOf={(row) => addressOf({ ...filter, agent: row.agent ?? "" })}
          />
        )}
      </Loaded>
      <Loaded query={sessions} what="the sessions">
        {({ usage }) => (
          <Shares
            title="By session"
            rows={usage}
            measure={measure}
            nameOf={(row) => row.purpose || row.session_id || "Outside of sessions"}
            linkOf={(row) => (row.session_id ? addressOf({ ...filter, session: row.session_id }) : undefined)}
          />
        )}
      </Loaded>
    </div>
  );
}

const MEASURES: Option<Measure>[] = [
  { id: "cost", title: "Cost" },
  { id: "tokens", title: "Tokens" },
];

function CostFilters({
  filter,
  measure,
  change,
}: {
  filter: CostsFilter;
  measure: Measure;
  change: (part: Partial<CostsFilter>) => void;
}) {
  const period = useId();
  return (
    <search className={`row ${styles.filters}`} aria-label="What is added up">
      <label htmlFor={period}>Period</label>
      <select id={period} value={filter.days} onChange={(event) => change({ days: Number(event.target.value) })}>
        {PERIODS.map(({ days, title }) => (
          <option key={days} value={days}>
            {title}
          </option>
        ))}
      </select>
      <Choice
        label="What is measured"
        options={MEASURES}
        chosen={measure}
        choose={(next) => change({ measure: next })}
      />
      {filter.agent && <Chosen what="agent" name={filter.agent} clear={() => change({ agent: "" })} />}
      {filter.session && <Chosen what="session" name={filter.session} clear={() => change({ session: "" })} />}
    </search>
  );
}

function Chosen({ what, name, clear }: { what: string; name: string; clear: () => void }) {
  return (
    <span className={styles.chosen}>
      Only {what}{" "}
      <strong className="clip">
        <Text>{name}</Text>
      </strong>
      <Button kind="quiet" small onClick={clear} aria-label={`Show every ${what} again`}>
        <X size={14} aria-hidden="true" />
      </Button>
    </span>
  );
}

function Totals({ total }: { total: Schemas["UsageSums"] }) {
  return (
    <dl className={styles.totals}>
      <Total name="Cost" value={total.cost === undefined ? "not reported" : costInWords(total.cost)} />
      <Total name="Tokens read" value={tokensInWords(total.input_tokens)} />
      <Total name="Tokens written" value={tokensInWords(total.output_tokens)} />
      <Total name="Reports" value={total.reports.toLocaleString("en")} />
    </dl>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Nothing({ filter, change }: { filter: CostsFilter; change: (part: Partial<CostsFilter>) => void }) {
  if (filter.agent === "" && filter.session === "") return <NothingReported />;
  return (
    <Empty icon={<Coins size={28} aria-hidden="true" />} title="Nothing was reported here">
      <p>Agents tell what their models use with report_usage, or beside their calls.</p>
      <div className="row">
        <Button onClick={() => change({ days: 0, agent: "", session: "" })}>Show everything</Button>
        <Link href="/connect">Connect an agent</Link>
      </div>
    </Empty>
  );
}

const TOOL = `report_usage(model="claude-sonnet", input_tokens=1200, output_tokens=300, cost=0.008)`;
const BESIDE = `"_meta": {"longtable/usage": {"model": "claude-sonnet", "input_tokens": 1200, "output_tokens": 300}}`;

function NothingReported() {
  return (
    <Empty icon={<Coins size={28} aria-hidden="true" />} title="No costs yet">
      <p>Longtable does not see what models read and write, so the agents tell. Either with a tool:</p>
      <div className={styles.how}>
        <Code text={TOOL} language="python" />
      </div>
      <p>
        or beside any call; a framework that knows OpenTelemetry's names (gen_ai.usage.input_tokens) does it by itself:
      </p>
      <div className={styles.how}>
        <Code text={BESIDE} language="json" />
      </div>
    </Empty>
  );
}
