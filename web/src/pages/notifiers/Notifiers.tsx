import { BellRing } from "lucide-react";
import { useState } from "react";
import { useIsOwner } from "@/api/me";
import { AddNotifier } from "@/pages/notifiers/AddNotifier";
import { useNotifiers } from "@/pages/notifiers/data";
import { NotifierCard } from "@/pages/notifiers/NotifierCard";
import styles from "@/pages/notifiers/notifiers.module.css";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Empty, Loaded, Notice } from "@/parts/Notice";
import { type NoticeState, switchOff, switchOn, useNoticeState } from "@/shell/desktopNotices";
import { PageHead } from "@/shell/PageHead";

const ABOUT =
  "Be called when something waits for you. A notice says who waits and since when, with a link: never what is asked.";

export default function Notifiers() {
  const owner = useIsOwner();
  return (
    <div className="page">
      <PageHead title="Notices" about={ABOUT} />
      <Desktop />
      {owner ? <Outgoing /> : <p className="soft">Only an owner can have notices sent elsewhere.</p>}
    </div>
  );
}

const WORDS: Record<NoticeState, string> = {
  on: "On in this browser, as long as a page of the console is open.",
  off: "Off in this browser.",
  denied: "The browser refuses notices of this page. Allow them in its settings for this site.",
  unsupported: "This browser shows none here: it needs https, or the address of this machine itself.",
};

function Desktop() {
  const state = useNoticeState();
  const can = state === "on" || state === "off";
  return (
    <section className="card stack" aria-labelledby="desktop">
      <h2 id="desktop">On this desktop</h2>
      <p className="soft" role="status">
        {WORDS[state]}
      </p>
      {can && (
        <div>
          <Button
            role="switch"
            aria-checked={state === "on"}
            onClick={() => (state === "on" ? switchOff() : void switchOn())}
          >
            Desktop notices: {state}
          </Button>
        </div>
      )}
    </section>
  );
}

function Outgoing() {
  const notifiers = useNotifiers();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section className="stack" aria-labelledby="notifiers">
      <h2 id="notifiers">Notifiers</h2>
      {secret !== null && <SigningSecret secret={secret} done={() => setSecret(null)} />}
      <AddNotifier added={setSecret} />
      <Loaded query={notifiers} what="the notifiers">
        {({ notifiers: found }) =>
          found.length === 0 ? (
            <Empty icon={<BellRing size={28} aria-hidden="true" />} title="No notifiers yet">
              <p>Nobody is called outside of this page.</p>
            </Empty>
          ) : (
            <ul className="plain-list stack" aria-label="Notifiers">
              {found.map((notifier) => (
                <NotifierCard key={notifier.name} notifier={notifier} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function SigningSecret({ secret, done }: { secret: string; done: () => void }) {
  return (
    <Notice tone="good">
      <strong>The secret of the webhook is shown only now: copy it to the receiver, which verifies with it.</strong>
      <code className={styles.secret}>{secret}</code>
      <div className="row">
        <Copy text={secret} label="Copy the secret" />
        <Button onClick={done}>I have copied it</Button>
      </div>
    </Notice>
  );
}
