import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { useOutline } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/table.module.css";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Dialog } from "@/parts/Dialog";
import { Field } from "@/parts/Form";
import { Notice, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

const TIMES = [
  ["1d", "1 day"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;
const ABOUT =
  "Whoever has the link reads along without signing in: plan, draft, notes and public messages. Never private messages, questions or memory. Each opening is in the audit log.";

function useShares(id: string) {
  return useQuery({
    queryKey: [...keys.session(id), "shares"],
    queryFn: ({ signal }) => unwrap(client.GET("/shares", { params: { query: { session_id: id } }, signal })),
  });
}

/** Makes links with which others read the session, and takes them back. */
export default function ShareDialog({ id, close }: { id: string; close: () => void }) {
  const queries = useQueryClient();
  const [lasting, setLasting] = useState("7d");
  const [section, setSection] = useState("");
  const refresh = () => void queries.invalidateQueries({ queryKey: [...keys.session(id), "shares"] });
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST("/shares", {
          body: { session_id: id, expires_in: lasting, ...(section ? { section_id: section } : {}) },
        }),
      ),
    onSuccess: refresh,
  });
  const sections = useOutline(id).data ?? [];
  return (
    <Dialog open close={close} title="Share a link to read" about={ABOUT}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field label="What it shows">
          {(field) => (
            <select id={field} value={section} onChange={(event) => setSection(event.target.value)}>
              <option value="">The whole session</option>
              {sections.map((each) => (
                <option key={each.section_id} value={each.section_id}>
                  Only “{each.title}”
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="How long it works">
          {(field) => (
            <select id={field} value={lasting} onChange={(event) => setLasting(event.target.value)}>
              {TIMES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {create.error && <Problem of={create.error} />}
        <div className="row">
          <Button kind="main" type="submit" busy={create.isPending}>
            Make a link
          </Button>
          <Button kind="quiet" onClick={close}>
            Close
          </Button>
        </div>
      </form>
      {create.data?.path && <Made address={new URL(create.data.path, window.location.origin).href} />}
      <Links id={id} refresh={refresh} />
    </Dialog>
  );
}

function Made({ address }: { address: string }) {
  return (
    <Notice tone="good">
      <strong>The link is shown only now: copy it.</strong>
      <code className={styles.link}>{address}</code>
      <Copy text={address} label="Copy the link" />
    </Notice>
  );
}

function Links({ id, refresh }: { id: string; refresh: () => void }) {
  const open = useShares(id).data?.shares.filter((share) => share.status === "open") ?? [];
  if (open.length === 0) return null;
  return (
    <section>
      <h3>Links that work now</h3>
      <ul className="plain-list" aria-label="Links that work now">
        {open.map((share) => (
          <OpenLink key={share.share_id} share={share} refresh={refresh} />
        ))}
      </ul>
    </section>
  );
}

function OpenLink({ share, refresh }: { share: Schemas["ShareView"]; refresh: () => void }) {
  const revoke = useMutation({
    mutationFn: () => unwrap(client.DELETE("/shares/{share_id}", { params: { path: { share_id: share.share_id } } })),
    onSettled: refresh,
  });
  return (
    <li className="row small">
      <span>{share.section_id ? <Text>{share.section_id}</Text> : "The whole session"}</span>
      <span className="soft">
        by <Text>{share.created_by}</Text>, ends <Time at={share.expires_at} />
      </span>
      <Button small kind="quiet" busy={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
      {revoke.error && <Problem of={revoke.error} />}
    </li>
  );
}
