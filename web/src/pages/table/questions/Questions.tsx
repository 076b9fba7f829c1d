import { useQuery } from "@tanstack/react-query";
import { MessageCircleQuestion } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useRoute } from "wouter";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { goToCard, useInboxKeys, useSteadyCards } from "@/pages/inbox/cards";
import { type Question, sorted } from "@/pages/inbox/data";
import { useHeld } from "@/pages/inbox/holding";
import { useLingering } from "@/pages/inbox/linger";
import { QuestionCard } from "@/pages/inbox/QuestionCard";
import { linkTo } from "@/pages/table/Menu";
import styles from "@/pages/table/questions/questions.module.css";
import { RedactButton } from "@/pages/table/Redact";
import { TOMBSTONE } from "@/pages/table/redactable";
import { Badge } from "@/parts/Badge";
import { Copy } from "@/parts/Copy";
import { Empty, Loaded } from "@/parts/Notice";
import { PageList } from "@/parts/PageList";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

type SessionQuestion = Schemas["QuestionView"];

const PAGE = 1_000;
/** So many can be answered here at once; the next come up as these are settled. */
const AT_ONCE = 30;
const idOf = (question: SessionQuestion) => question.id;

function useAsked(id: string) {
  return useQuery({
    queryKey: [...keys.of(id, "questions"), "all"],
    queryFn: async ({ signal }) => {
      const questions: SessionQuestion[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = cursor ? { limit: PAGE, cursor } : { limit: PAGE };
        const page: Schemas["QuestionPage"] = await unwrap(
          client.GET("/sessions/{session_id}/questions", { params: { path: { session_id: id }, query }, signal }),
        );
        questions.push(...page.questions);
        cursor = page.next_cursor;
      } while (cursor);
      return questions;
    },
  });
}

/** The questions of one session: those that wait can be answered right here. */
export default function Questions({ id, closed, purpose }: { id: string; closed: boolean; purpose: string }) {
  const query = useAsked(id);
  return (
    <Loaded query={query} what="the questions">
      {(questions) => <QuestionLists id={id} closed={closed} purpose={purpose} questions={questions} />}
    </Loaded>
  );
}

function QuestionLists({
  id,
  closed,
  purpose,
  questions,
}: {
  id: string;
  closed: boolean;
  purpose: string;
  questions: SessionQuestion[];
}) {
  const waiting = useMemo(
    () =>
      closed
        ? []
        : questions
            .filter((question) => question.status === "pending")
            .map((question): Question => ({ ...question, session_id: id, purpose })),
    [questions, closed, id, purpose],
  );
  const marked = useMarkedQuestion(id, waiting);
  const settled = useMemo(
    () => questions.filter((question) => closed || question.status !== "pending").reverse(),
    [questions, closed],
  );
  return (
    <div className="stack">
      {questions.length === 0 && (
        <Empty icon={<MessageCircleQuestion size={28} aria-hidden="true" />} title="Nobody has asked anything yet">
          <p>
            When agents need a person, they ask with <code>add_question</code>. The question appears here and in the
            inbox at once, and can be answered in both places.
          </p>
        </Empty>
      )}
      <OpenQuestionList questions={waiting} />
      {settled.length > 0 && (
        <>
          <h2>{closed ? "What was asked" : "Settled"}</h2>
          <PageList items={settled} label="Settled questions, newest first" idOf={idOf} estimate={96} reveal={marked}>
            {(question) => <Settled session={id} question={question} marked={question.id === marked} />}
          </PageList>
        </>
      )}
    </div>
  );
}

/** `/sessions/ID/questions/QUESTION` goes to a question, whether it waits or is settled. */
function useMarkedQuestion(id: string, waiting: Question[]): string | undefined {
  const [, params] = useRoute("/sessions/:id/questions/:question");
  const marked = params?.question;
  const waits = waiting.some((question) => question.id === marked);
  useEffect(() => {
    if (marked && waits) goToCard(`${id}/${marked}`);
  }, [id, marked, waits]);
  return marked;
}

function OpenQuestionList({ questions }: { questions: Question[] }) {
  const items = useMemo(() => sorted(questions, [], []), [questions]);
  const { shown, outcomes, settle, drop, undone } = useLingering(items);
  const held = useHeld();
  const here = useMemo(() => shown.slice(0, AT_ONCE), [shown]);
  const ids = useMemo(() => here.map(({ item }) => item.id), [here]);
  const list = useSteadyCards(ids);
  useInboxKeys();
  if (here.length === 0) return null;
  return (
    <ul ref={list} className={`plain-list ${styles.waiting}`} aria-label="Questions that wait for an answer">
      {here.map(
        (one) =>
          one.item.kind === "question" && (
            <li key={one.item.id}>
              <QuestionCard
                question={one.item.question}
                shown={one}
                outcome={outcomes.get(one.item.id) ?? held.get(one.item.id)}
                settle={settle}
                drop={drop}
                undone={undone}
              />
              {!one.gone && <RedactParts session={one.item.question.session_id} question={one.item.question} />}
            </li>
          ),
      )}
    </ul>
  );
}

/** For owners: a question and its answer are redacted each by itself. */
function RedactParts({ session, question }: { session: string; question: SessionQuestion }) {
  const { id, answer } = question;
  return (
    <p className={styles.redact}>
      {question.question !== TOMBSTONE && (
        <RedactButton session={session} thing={{ kind: "question", id }} subject="the question" />
      )}
      {answer !== null && answer !== TOMBSTONE && (
        <RedactButton session={session} thing={{ kind: "answer", id }} subject="the answer" />
      )}
    </p>
  );
}

function Settled({ session, question, marked }: { session: string; question: SessionQuestion; marked: boolean }) {
  return (
    <article
      className={styles.settled}
      tabIndex={-1}
      data-marked={marked || undefined}
      aria-current={marked || undefined}
      aria-label={`Question ${question.id}`}
    >
      <h3>
        <Text>{question.question}</Text>
      </h3>
      {question.answer === null ? (
        <p>
          <Badge>{ENDS[question.status] ?? question.status}</Badge>
        </p>
      ) : (
        <p className={styles.answer}>
          <Text>{question.answer}</Text>
        </p>
      )}
      <p className="soft small">
        <Text>{question.asked_by}</Text> asked <Time at={question.asked_at} />
        {question.answered_by && (
          <>
            {" · "}
            <Text>{question.answered_by}</Text> {question.by_human ? "answered" : "passed the answer on"}{" "}
            <Time at={question.answered_at} />
          </>
        )}
      </p>
      <div className="row">
        <Copy text={linkTo(`/sessions/${encodeURIComponent(session)}/questions/${question.id}`)} label="Copy link" />
        <RedactParts session={session} question={question} />
      </div>
    </article>
  );
}

const ENDS: Record<string, string> = {
  pending: "Not answered",
  expired: "Its time ran out",
  withdrawn: "Withdrawn",
};
