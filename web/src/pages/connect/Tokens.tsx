import { KeyRound } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "wouter";
import type { Me } from "@/api/me";
import styles from "@/pages/connect/connect.module.css";
import { type CreatedToken, type Token, useRevoke, useTokens } from "@/pages/connect/data";
import { NewToken } from "@/pages/connect/NewToken";
import { Secret } from "@/pages/connect/Secret";
import { Badge, type Tone } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { useFocusAfter } from "@/parts/focus";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

const STEP = 50;

export function Tokens(props: {
  auth: Me["auth"];
  made: CreatedToken | null;
  setMade: (made: CreatedToken | null) => void;
}) {
  const { auth, made, setMade } = props;
  const tokens = useTokens();
  const title = useId();
  const active = tokens.data?.tokens.filter((token) => token.status === "active").length ?? 0;
  const { stays, acted } = useFocusAfter<HTMLHeadingElement>(`${active} ${made === null}`);
  const done = () => {
    acted();
    setMade(null);
  };
  return (
    <section className="stack" aria-labelledby={title}>
      <div>
        <h2 id={title} ref={stays} tabIndex={-1}>
          Tokens
        </h2>
        {auth === "off" && (
          <p className="soft small">
            Nobody is asked for one while auth is off. Those that you make now count from the day it is on.
          </p>
        )}
      </div>
      {made ? <Secret made={made} done={done} /> : <NewToken made={setMade} />}
      <Loaded query={tokens} what="the tokens">
        {(list) => <TokenTable tokens={list.tokens} acted={acted} />}
      </Loaded>
    </section>
  );
}

function TokenTable({ tokens, acted }: { tokens: Token[]; acted: () => void }) {
  const [most, setMost] = useState(STEP);
  if (tokens.length === 0) {
    return (
      <Empty icon={<KeyRound size={28} aria-hidden="true" />} title="No tokens yet">
        <p>
          Make one for each agent or person: then the log says who did what, and one can be revoked without the others.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <table className={styles.table} aria-label="Tokens">
        <thead>
          <tr>
            <th>Name</th>
            <th>Role</th>
            <th>Session</th>
            <th>Made</th>
            <th>Expires</th>
            <th>Status</th>
            <th>
              <span className="hidden-but-read">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.slice(0, most).map((token) => (
            <TokenRow key={token.token_id} token={token} acted={acted} />
          ))}
        </tbody>
      </table>
      {tokens.length > most && (
        <div>
          <Button onClick={() => setMost(most + STEP)}>Show more</Button>
        </div>
      )}
    </>
  );
}

const TONES: Record<string, Tone> = { active: "good", revoked: "plain", expired: "warn" };

function TokenRow({ token, acted }: { token: Token; acted: () => void }) {
  return (
    <tr>
      <td>
        <strong>
          <Text>{token.name}</Text>
        </strong>
        <span className={`mono soft ${styles.id}`}>{token.token_id}</span>
      </td>
      <td data-name="Role">
        {token.role}
        {token.agent !== null && token.agent !== token.name && (
          <>
            {" "}
            <Text>{token.agent}</Text>
          </>
        )}
      </td>
      <td data-name="Session">
        {token.session_id && <Link href={`/sessions/${token.session_id}`}>{token.session_id}</Link>}
      </td>
      <td data-name="Made">
        <Time at={token.created_at} />
      </td>
      <td data-name="Expires">
        <Time at={token.expires_at} />
      </td>
      <td>
        <Badge tone={TONES[token.status] ?? "plain"}>{token.status}</Badge>
      </td>
      <td className={styles.act}>{token.status === "active" && <Revoke token={token} acted={acted} />}</td>
    </tr>
  );
}

function Revoke({ token, acted }: { token: Token; acted: () => void }) {
  const [asking, setAsking] = useState(false);
  const revoke = useRevoke();
  const act = () => {
    acted();
    revoke.mutate(token);
  };
  return (
    <>
      <Button kind="bad" onClick={() => setAsking(true)} aria-label={`Revoke ${token.name}`}>
        Revoke
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Revoke ${token.name}?`}
        about="Every server refuses it within a second, and logins that were made with it end. It cannot be brought back."
        action="Revoke the token"
        kind="bad"
        busy={revoke.isPending}
        problem={revoke.error}
        act={act}
      />
    </>
  );
}
