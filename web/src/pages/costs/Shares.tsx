import { useState } from "react";
import { Link } from "wouter";
import styles from "@/pages/costs/costs.module.css";
import { amountOf, costInWords, type Measure, tokensInWords, type UsageRow } from "@/pages/costs/numbers";
import { Button } from "@/parts/Button";
import { Text } from "@/parts/Text";

const AT_FIRST = 10;

/** Who or what used how much: a table with a bar in each line. */
export function Shares({
  title,
  rows,
  measure,
  nameOf,
  linkOf,
}: {
  title: string;
  rows: UsageRow[];
  measure: Measure;
  nameOf: (row: UsageRow) => string;
  /** Where the name leads, if anywhere. */
  linkOf: (row: UsageRow) => string | undefined;
}) {
  const [all, setAll] = useState(false);
  const sorted = [...rows].sort((a, b) => amountOf(b, measure) - amountOf(a, measure));
  const most = amountOf(sorted[0] ?? { input_tokens: 0, output_tokens: 0 }, measure) || 1;
  const shown = all ? sorted : sorted.slice(0, AT_FIRST);
  return (
    <section className={styles.share}>
      <h2>{title}</h2>
      <table className={styles.table} aria-label={`${title}, the largest first`}>
        <thead>
          <tr>
            <th>{title.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase())}</th>
            <th>Cost</th>
            <th>Tokens</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.agent ?? row.session_id}>
              <td>
                <Name text={nameOf(row)} link={linkOf(row)} />
                <svg className={styles.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect className={styles.whole} width={100} height={6} />
                  <rect width={(amountOf(row, measure) / most) * 100} height={6} />
                </svg>
              </td>
              <td>{costInWords(row.cost)}</td>
              <td>{tokensInWords(row.input_tokens + row.output_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > AT_FIRST && (
        <div>
          <Button small onClick={() => setAll(!all)}>
            {all ? "Show fewer" : `Show all ${sorted.length}`}
          </Button>
        </div>
      )}
    </section>
  );
}

function Name({ text, link }: { text: string; link: string | undefined }) {
  if (!link) return <Text>{text}</Text>;
  return (
    <Link href={link}>
      <Text>{text}</Text>
    </Link>
  );
}
