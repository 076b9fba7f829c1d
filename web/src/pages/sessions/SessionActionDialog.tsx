import { Download } from "lucide-react";
import { type Session, useCloseSession, useExtendSession } from "@/pages/sessions/data";
import type { SessionAction } from "@/pages/sessions/SessionRow";
import styles from "@/pages/sessions/sessions.module.css";
import { gains, LENGTHS, titleOf } from "@/pages/sessions/words";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { distance, Time, useNow } from "@/parts/Time";
import { useToast } from "@/parts/Toasts";

export interface ChosenAction {
  act: SessionAction;
  session: Session;
}

const TITLES: Record<SessionAction, string> = {
  extend: "Extend this session",
  close: "Close this session?",
  export: "Export this session",
};

/** What is done to one session, asked in a dialog. */
export function SessionActionDialog({ chosen, close }: { chosen: ChosenAction | undefined; close: () => void }) {
  if (!chosen) return null;
  const { act, session } = chosen;
  return (
    <Dialog open close={close} title={TITLES[act]} about={<Text>{titleOf(session)}</Text>}>
      {act === "extend" && <Extend session={session} close={close} />}
      {act === "close" && <Close session={session} close={close} />}
      {act === "export" && <Export session={session} close={close} />}
    </Dialog>
  );
}

interface Props {
  session: Session;
  close: () => void;
}

function Extend({ session, close }: Props) {
  const extending = useExtendSession(session.session_id);
  const say = useToast();
  const now = useNow();
  const extend = (ttl: string) => {
    if (extending.isPending) return;
    const done = ({ expires_at }: { expires_at: string }) => {
      say(`The session lasts until ${new Date(expires_at).toLocaleString()}.`);
      close();
    };
    extending.mutate(ttl, { onSuccess: done });
  };
  const choices = LENGTHS.map((choice) => ({ ...choice, useful: gains(session, choice.length, now) }));
  return (
    <div className="stack">
      <p>
        Now it expires <Time at={session.expires_at} />
      </p>
      <p>Let it last, from now on, for:</p>
      <div className={styles.answers}>
        {choices.map(({ ttl, title, useful }) => (
          <Button
            key={ttl}
            disabled={!useful}
            busy={extending.isPending && extending.variables === ttl}
            onClick={() => extend(ttl)}
          >
            {title}
          </Button>
        ))}
      </div>
      {choices.some(({ useful }) => !useful) && (
        <p className="soft small">What it has already cannot be chosen: a session never loses time.</p>
      )}
      {extending.isError && <Problem of={extending.error} />}
    </div>
  );
}

function Close({ session, close }: Props) {
  const closing = useCloseSession(session.session_id);
  const say = useToast();
  const end = () => {
    if (closing.isPending) return;
    const done = () => {
      say("The session is closed.");
      close();
    };
    closing.mutate(undefined, { onSuccess: done });
  };
  return (
    <div className="stack">
      <p>
        Agents can read it and change nothing any more. It cannot be opened again.
        {session.open_questions > 0 && " Its open questions will not be answered."}
      </p>
      {closing.isError && <Problem of={closing.error} />}
      <div className={styles.answers}>
        <Button kind="bad" busy={closing.isPending} onClick={end}>
          Close the session
        </Button>
        <Button onClick={close}>Keep it open</Button>
      </div>
    </div>
  );
}

function Export({ session, close }: Props) {
  const address = `/sessions/${encodeURIComponent(session.session_id)}/export`;
  return (
    <div className="stack">
      <p>Everything in it as one file: notes, all versions of the draft, the plan, questions, messages and events.</p>
      <div className={styles.answers}>
        <a className="button" data-kind="main" href={`${address}?format=md`} download onClick={close}>
          <Download size={16} aria-hidden="true" /> To read (Markdown)
        </a>
        <a className="button" href={address} download onClick={close}>
          <Download size={16} aria-hidden="true" /> For programs (JSON)
        </a>
      </div>
      <p className="soft small">
        Last active {distance(Date.parse(session.last_activity_at), Date.now())}: what comes later is not in the file.
      </p>
    </div>
  );
}
