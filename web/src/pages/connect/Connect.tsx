import { useState } from "react";
import { type Me, useIsOwner, useMe } from "@/api/me";
import styles from "@/pages/connect/connect.module.css";
import type { CreatedToken } from "@/pages/connect/data";
import { Snippets } from "@/pages/connect/Snippets";
import { PLACEHOLDER } from "@/pages/connect/snippets";
import { Tokens } from "@/pages/connect/Tokens";
import { Copy } from "@/parts/Copy";
import { Notice } from "@/parts/Notice";
import { PageHead } from "@/shell/PageHead";

const ABOUT = "Bring an agent to the table: copy what its program needs, start it, and it sits here.";
/** Who works at the table with a program; the others sign in to this page. */
const WORKERS = ["agent", "orchestrator", "reader"];

export default function Connect() {
  const me = useMe().data;
  return (
    <div className="page">
      <PageHead title="Connect" about={ABOUT} />
      {me && <ConnectSections me={me} />}
    </div>
  );
}

function ConnectSections({ me }: { me: Me }) {
  const owner = useIsOwner();
  const [made, setMade] = useState<CreatedToken | null>(null);
  const works = made !== null && WORKERS.includes(made.token.role);
  const token = works ? made.secret : me.auth === "off" ? null : PLACEHOLDER;
  return (
    <>
      <Address me={me} />
      <AccessNotice me={me} inserted={works ? made.token.name : undefined} />
      <Snippets access={{ url: me.mcp_url, token }} />
      {owner ? (
        <Tokens auth={me.auth} made={made} setMade={setMade} />
      ) : (
        <p className="soft">Only an owner can create tokens and see which there are. Ask one for yours.</p>
      )}
    </>
  );
}

function Address({ me }: { me: Me }) {
  return (
    <section className={`card ${styles.address}`} aria-labelledby="address">
      <div>
        <h2 id="address">The address of this server</h2>
        {me.mcp_url === null ? (
          <p className="soft">MCP over HTTP is switched off here: clients start a process of their own.</p>
        ) : (
          <code>{me.mcp_url}</code>
        )}
      </div>
      <div className="row">
        {me.mcp_url !== null && <Copy text={me.mcp_url} label="Copy the address" />}
        <a className="small" href="/docs" target="_blank" rel="noreferrer">
          REST and its documentation
        </a>
      </div>
    </section>
  );
}

function AccessNotice({ me, inserted }: { me: Me; inserted: string | undefined }) {
  if (inserted !== undefined) {
    return (
      <Notice tone="good">
        <span>
          The token <strong>{inserted}</strong> is in the snippets, until you leave this page.
        </span>
      </Notice>
    );
  }
  if (me.auth === "off") {
    return (
      <Notice>
        <span>
          <strong>No token is needed: auth is off.</strong> Whoever reaches this machine's address may do everything, so
          the server listens to this machine only. <code>longtable serve --auth tokens</code> switches auth on.
        </span>
      </Notice>
    );
  }
  return (
    <Notice>
      <span>
        Auth is on: put a token where the snippets say <code>{PLACEHOLDER}</code>.
        {me.auth === "jwt" && " A token of your identity provider does as well."}
      </span>
    </Notice>
  );
}
