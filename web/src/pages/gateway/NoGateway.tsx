import { Plus, Waypoints } from "lucide-react";
import { useState } from "react";
import { useIsOwner } from "@/api/me";
import { AddUpstream } from "@/pages/gateway/AddUpstream";
import styles from "@/pages/gateway/gateway.module.css";
import { Button } from "@/parts/Button";
import { Code } from "@/parts/Code";
import { Copy } from "@/parts/Copy";
import { Empty } from "@/parts/Notice";

const SMALLEST = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/path/to/a/folder"
      ]
    }
  },
  "rules": [{"match": "files.*", "layer": "tool"}]
}`;
const START = "longtable serve --gateway-config gateway.json";

export function NoGateway() {
  const owner = useIsOwner();
  const [adding, setAdding] = useState(false);
  return (
    <Empty icon={<Waypoints size={28} aria-hidden="true" />} title="No other servers are behind this one yet">
      <p>
        The gateway puts the tools of other MCP servers behind Longtable: each call is on record, and what changes
        something waits for a person. Add one here, take over those of your client with{" "}
        <code>longtable upstreams import</code>, or save its <code>mcpServers</code> as <code>gateway.json</code> and
        name the file at the next start.
      </p>
      {owner && (
        <p>
          <Button kind="main" onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden="true" /> Add an upstream
          </Button>
        </p>
      )}
      {adding && <AddUpstream close={() => setAdding(false)} />}
      <div className={`stack ${styles.teach}`}>
        <ConfigExample name="gateway.json" text={SMALLEST} language="json" />
        <ConfigExample name="Then start" text={START} language="sh" />
        <p className="small">
          The rule in one line lets a whole server that you trust run without asking. Leave it out, and only tools that
          plainly read do.
        </p>
        <p className="small">
          To see a gateway at work first, run <code>longtable demo</code>: it starts a small team with an office server
          behind it, and one call that waits for you.
        </p>
      </div>
    </Empty>
  );
}

function ConfigExample({ name, text, language }: { name: string; text: string; language: string }) {
  return (
    <div className="stack">
      <div className="row apart">
        <strong className="small">{name}</strong>
        <Copy text={text} label={`Copy ${name === "Then start" ? "the command" : name}`} />
      </div>
      <Code text={text} language={language} />
    </div>
  );
}
