import { MessageCircleQuestion } from "lucide-react";
import { type KeyboardEvent, type SyntheticEvent, useId, useState } from "react";
import { draftFor, type Question } from "@/pages/inbox/data";
import { type CardProps, InboxCard, SessionByPurpose } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { useAnswer } from "@/pages/inbox/mutations";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { useDraft } from "@/parts/drafts";
import { Markdown } from "@/parts/Markdown";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

export function QuestionCard({ question, ...card }: CardProps & { question: Question }) {
  const { id } = card.shown.item;
  const answering = useAnswer(id, question, card.settle);
  const [draft, setDraft] = useDraft(draftFor(id), "");
  const options = question.options ?? [];
  const answer = (text: string) => {
    if (text.trim()) answering.mutate(text);
  };
  return (
    <InboxCard
      {...card}
      icon={<MessageCircleQuestion size={16} aria-hidden="true" />}
      kind="Question"
      address={`/sessions/${encodeURIComponent(question.session_id)}/questions/${question.id}`}
      badges={question.priority === "high" && <Badge tone="warn">High priority</Badge>}
      title={<Text>{question.question}</Text>}
      about={
        <>
          <Text>{question.asked_by}</Text> asks in{" "}
          <SessionByPurpose id={question.session_id} purpose={question.purpose} />.
        </>
      }
      controls={
        <div className={`${styles.controls} ${styles.answers}`}>
          {options.length > 0 && (
            <Options options={options} sent={answering.isPending ? answering.variables : undefined} answer={answer} />
          )}
          <OwnWords
            optional={options.length > 0}
            text={draft}
            write={setDraft}
            busy={answering.isPending && !options.includes(answering.variables)}
            send={() => answer(draft)}
          />
          {answering.isError && <Problem of={answering.error} />}
        </div>
      }
    >
      {question.context && (
        <div className={styles.context}>
          <Markdown text={question.context} />
        </div>
      )}
      {card.shown.gone && !card.outcome && draft && <p className="small">You had written: {draft}</p>}
    </InboxCard>
  );
}

function Options({
  options,
  sent,
  answer,
}: {
  options: string[];
  sent: string | undefined;
  answer: (text: string) => void;
}) {
  return (
    <div className={styles.options}>
      {options.map((option, index) => (
        <Button
          key={option}
          className={`button ${styles.option}`}
          busy={sent === option}
          onClick={() => answer(option)}
          data-option={index < 9 ? index + 1 : undefined}
        >
          {index < 9 && (
            <span className={styles.key} aria-hidden="true">
              {index + 1}
            </span>
          )}
          <span>
            <Text>{option}</Text>
          </span>
        </Button>
      ))}
    </div>
  );
}

function OwnWords({
  optional,
  text,
  write,
  busy,
  send,
}: {
  optional: boolean;
  text: string;
  write: (text: string) => void;
  busy: boolean;
  send: () => void;
}) {
  const field = useId();
  const [open, setOpen] = useState(!optional || text !== "");
  const [asked, setAsked] = useState(false);
  if (!open) {
    const show = () => {
      setOpen(true);
      setAsked(true);
    };
    return (
      <Button kind="quiet" className={`button ${styles.own}`} onClick={show}>
        Answer in your own words
      </Button>
    );
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    send();
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <form onSubmit={submit} className={styles.words}>
      <label htmlFor={field} className="hidden-but-read">
        Your answer
      </label>
      <textarea
        id={field}
        value={text}
        rows={2}
        placeholder="Your answer"
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed to get it
        autoFocus={asked}
        onChange={(event) => write(event.target.value)}
        onKeyDown={sendByKey}
      />
      <Button kind="main" type="submit" busy={busy} disabled={!text.trim()}>
        Send
      </Button>
    </form>
  );
}
