import styles from "@/pages/gateway/gateway.module.css";
import { type Rule, rowOf, WHO } from "@/pages/gateway/rules";
import { titleOfLayer, whoConfirms } from "@/pages/gateway/words";
import { Text } from "@/parts/Text";

/** Rules to read. The strictest holds, so their order says nothing. */
export function RuleTable({ rules, empty }: { rules: Rule[]; empty: string }) {
  if (rules.length === 0) return <p className="soft">{empty}</p>;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th>Tools</th>
          <th>What happens</th>
          <th>Who is asked</th>
          <th>How often</th>
          <th>Only when, and why</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rules are replaced as a whole
          <RuleRow key={index} rule={rule} />
        ))}
      </tbody>
    </table>
  );
}

function RuleRow({ rule }: { rule: Rule }) {
  const row = rowOf(rule);
  const { match, layer, confirm, rate, when, reason } = row;
  return (
    <tr>
      <td>
        <strong className="mono">
          <Text>{match}</Text>
        </strong>
        {WHO.map(
          (kind) =>
            row[kind] && (
              <div key={kind} className="small">
                only for {kind} <Text>{row[kind]}</Text>
              </div>
            ),
        )}
      </td>
      <td data-name="What happens">{layer && titleOfLayer(layer)}</td>
      <td data-name="Who is asked">{confirm && whoConfirms(confirm)}</td>
      <td data-name="How often">{rate}</td>
      <td data-name="Only when, and why">
        {when && (
          <code className={styles.name}>
            <Text>{when}</Text>
          </code>
        )}
        {reason && <Text>{reason}</Text>}
      </td>
    </tr>
  );
}
