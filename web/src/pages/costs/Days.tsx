import styles from "@/pages/costs/costs.module.css";
import {
  amountOf,
  columnsOf,
  costInWords,
  type DayColumn,
  dayInWords,
  inWords,
  type Measure,
  tokensInWords,
  type UsageRow,
} from "@/pages/costs/numbers";

const HEIGHT = 120;
const COLUMN = 10;
const GAP = 3;

/** A column for each day, and the numbers in a table for those who want them, or do not see it. */
export function Days({ rows, days, measure }: { rows: UsageRow[]; days: number; measure: Measure }) {
  const columns = columnsOf(rows, days, Date.now());
  const amounts = columns.map(({ row }) => (row ? amountOf(row, measure) : 0));
  const most = Math.max(...amounts);
  const top = columns[amounts.indexOf(most)];
  const what = measure === "cost" ? "Cost" : "Tokens";
  return (
    <section className={styles.days} aria-labelledby="by-day">
      <h2 id="by-day">By day</h2>
      <div className={styles.plot}>
        <span className={`soft small ${styles.scale}`} aria-hidden="true">
          {inWords(most, measure)}
        </span>
        <svg
          viewBox={`0 0 ${columns.length * (COLUMN + GAP)} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${what} of each of ${columns.length} days; most on ${dayInWords(top?.day ?? "")}: ${inWords(most, measure)}`}
        >
          {columns.map((column, index) => (
            <Column key={column.day} column={column} index={index} share={(amounts[index] ?? 0) / (most || 1)}>
              {`${dayInWords(column.day)}: ${inWords(amounts[index] ?? 0, measure)}`}
            </Column>
          ))}
        </svg>
        <div className={`soft small ${styles.ends}`} aria-hidden="true">
          <span>{dayInWords(columns[0]?.day ?? "")}</span>
          <span>{dayInWords(columns.at(-1)?.day ?? "")}</span>
        </div>
      </div>
      <DayTable rows={rows} />
    </section>
  );
}

function Column({ index, share, children }: { column: DayColumn; index: number; share: number; children: string }) {
  // A day with anything at all is seen.
  const height = share === 0 ? 1 : Math.max(3, share * (HEIGHT - 4));
  return (
    <g>
      <title>{children}</title>
      <rect className={styles.hit} x={index * (COLUMN + GAP)} y={0} width={COLUMN + GAP} height={HEIGHT} />
      <rect
        className={styles.column}
        data-none={share === 0 || undefined}
        x={index * (COLUMN + GAP) + GAP / 2}
        y={HEIGHT - height}
        width={COLUMN}
        height={height}
      />
    </g>
  );
}

function DayTable({ rows }: { rows: UsageRow[] }) {
  return (
    <details>
      <summary className="small">The numbers</summary>
      <table className={styles.table} aria-label="Each day, the newest first">
        <thead>
          <tr>
            <th>Day</th>
            <th>Cost</th>
            <th>Tokens read</th>
            <th>Tokens written</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.day}>
              <td>{dayInWords(row.day ?? "")}</td>
              <td>{costInWords(row.cost)}</td>
              <td>{tokensInWords(row.input_tokens)}</td>
              <td>{tokensInWords(row.output_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
