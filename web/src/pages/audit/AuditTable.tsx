import { ChevronRight } from "lucide-react";
import { memo, useState } from "react";
import { Link } from "wouter";
import styles from "@/pages/audit/audit.module.css";
import type { Entry } from "@/pages/audit/data";
import { outcomeInWords, typeInWords } from "@/pages/audit/filters";
import { addressOfObject } from "@/pages/audit/objects";
import { linkTo } from "@/pages/table/Menu";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Text } from "@/parts/Text";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** `marked` is the number of a record that somebody came to see: it is open. */
export function AuditTable({ entries, marked }: { entries: Entry[]; marked?: number }) {
  return (
    <table className={styles.table} aria-label="Records, newest first">
      <thead>
        <tr>
          <th>Time</th>
          <th>What</th>
          <th>Who</th>
          <th>Session</th>
          <th>Object</th>
          <th>Outcome</th>
          <th>Surface</th>
          <th>
            <span className="hidden-but-read">Details</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Record key={entry.seq} entry={entry} marked={entry.seq === marked} />
        ))}
      </tbody>
    </table>
  );
}

const Record = memo(function Record({ entry, marked }: { entry: Entry; marked: boolean }) {
  const [open, setOpen] = useState(marked);
  const done = entry.outcome === "SUCCESS";
  return (
    <>
      <tr data-open={open || undefined} data-marked={marked || undefined} aria-current={marked || undefined}>
        <td className={styles.time}>
          <time dateTime={entry.timestamp}>{exact.format(Date.parse(entry.timestamp))}</time>
        </td>
        <td className={styles.what} title={entry.event_type}>
          {typeInWords(entry.event_type)}
        </td>
        <td data-name="Who">
          <Text>{entry.agent_id}</Text>
        </td>
        <td data-name="Session">
          {entry.session_id && (
            <Link href={`/sessions/${encodeURIComponent(entry.session_id)}`} title={entry.session_id}>
              <Text>{entry.session_id}</Text>
            </Link>
          )}
        </td>
        <td data-name="Object">
          <AuditObject entry={entry} />
        </td>
        <td>
          <Badge tone={done ? "good" : "warn"} title={entry.outcome}>
            {outcomeInWords(entry.outcome)}
          </Badge>
        </td>
        <td data-name="Surface">{entry.surface}</td>
        <td className={styles.more}>
          <Button
            kind="quiet"
            onClick={() => setOpen(!open)}
            aria-expanded={open}
            aria-label={`Details of record ${entry.seq}`}
          >
            <ChevronRight size={16} aria-hidden="true" className={styles.arrow} />
          </Button>
        </td>
      </tr>
      {open && (
        <tr className={styles.details}>
          <td colSpan={8}>
            <Details entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
});

/** Leads to the thing itself, where it has an address. */
function AuditObject({ entry: { object, session_id } }: { entry: Entry }) {
  if (!object) return null;
  const address = addressOfObject(object, session_id);
  const words = <Text>{object}</Text>;
  return address === null ? words : <Link href={address}>{words}</Link>;
}

function Details({ entry }: { entry: Entry }) {
  return (
    <dl className={styles.facts}>
      <dt>Record</dt>
      <dd className="row">
        {entry.seq.toLocaleString("en")}
        <Copy text={linkTo(`/audit/${entry.seq}`)} label="Copy link" />
      </dd>
      <dt>Digest</dt>
      <dd className="row">
        <code>{entry.digest}</code>
        <Copy text={entry.digest} label="Copy the digest" />
      </dd>
      {Object.entries(entry.metadata).map(([name, value]) => (
        <AuditFact key={name} name={name} value={value} />
      ))}
      {typeof entry.metadata.call_id === "string" && (
        <>
          <dt>What was in it</dt>
          <dd>
            <Link href={`/gateway/calls/${encodeURIComponent(entry.metadata.call_id)}`}>Open the call</Link>
          </dd>
        </>
      )}
    </dl>
  );
}

function AuditFact({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>
        <Text>{typeInWords(name)}</Text>
      </dt>
      <dd>
        <Text>{typeof value === "string" ? value : JSON.stringify(value)}</Text>
      </dd>
    </>
  );
}
