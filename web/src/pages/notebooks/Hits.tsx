import {
  Braces,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestion,
  MessageSquare,
  NotebookText,
  PenLine,
  StickyNote,
} from "lucide-react";
import type { KeyboardEvent, RefObject } from "react";
import { Link } from "wouter";
import { addressOf, aroundFirst, idOfHit, marked, type ShownHit } from "@/pages/notebooks/hits";
import styles from "@/pages/notebooks/notebooks.module.css";
import { MOST_HITS, type useSearch } from "@/pages/notebooks/searching";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Empty, Loading, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const KINDS: Record<ShownHit["kind"], [string, LucideIcon]> = {
  cell: ["Cell", Braces],
  scratchpad: ["Scratchpad", NotebookText],
  note: ["Note", StickyNote],
  section: ["Section of a draft", PenLine],
  message: ["Message", MessageSquare],
  task: ["Task", ListChecks],
  question: ["Question", MessageCircleQuestion],
};

interface Props {
  text: string;
  found: ReturnType<typeof useSearch>;
  list: RefObject<HTMLUListElement | null>;
  /** Back to the words, when somebody walks up past the first hit or presses Escape. */
  leave: () => void;
  opened: () => void;
  showMore: (limit: number) => void;
}

/** What was found, best first. The arrow keys walk through it, Enter opens. */
export function Hits({ text, found, list, leave, opened, showMore }: Props) {
  const walk = (event: KeyboardEvent<HTMLUListElement>) => {
    if (event.key === "Escape") return leave();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const links = [...event.currentTarget.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement as HTMLAnchorElement) + step;
    if (next < 0) leave();
    else links[Math.min(next, links.length - 1)]?.focus();
  };
  return (
    <section className="stack" aria-label="Hits">
      <Account text={text} found={found} />
      <ul ref={list} className={`plain-list ${styles.hits}`} aria-label="Search hits" onKeyDown={walk}>
        {found.hits.map((hit) => (
          <li key={idOfHit(hit)}>
            <HitLink hit={hit} text={text} opened={opened} />
          </li>
        ))}
      </ul>
      {found.more && (
        <div>
          <Button onClick={() => showMore(MOST_HITS)}>Show up to {MOST_HITS} hits</Button>
        </div>
      )}
    </section>
  );
}

function Account({ text, found }: Pick<Props, "text" | "found">) {
  if (found.problem) return <Problem of={found.problem} again={found.again} />;
  if (!found.settled && found.hits.length === 0) return <Loading what="hits" />;
  const none = found.settled && !found.thinking && found.hits.length === 0;
  return (
    <>
      <p className="small soft" role="status">
        {accountOf(found)}
      </p>
      {none && !found.warming && (
        <Empty title={`Nothing found for "${text.slice(0, 80)}"`}>
          <p>
            Try fewer or other words, or search everything: also the 100 sessions used last. Namespace and tag on the
            left count here, too.
          </p>
        </Empty>
      )}
    </>
  );
}

function accountOf({ hits, thinking, warming, degraded }: Props["found"]): string {
  const count = hits.length === 1 ? "1 hit" : `${hits.length} hits`;
  if (warming) return `${count} by words. The search by meaning is starting and finds more in a moment.`;
  if (degraded) return `${count} by words. There is no search by meaning here: ${degraded}`;
  return thinking ? `${count}, still looking` : count;
}

function HitLink({ hit, text, opened }: { hit: ShownHit; text: string; opened: () => void }) {
  const [kind, Icon] = KINDS[hit.kind];
  return (
    <Link href={addressOf(hit)} className={styles.hit} onClick={opened}>
      <span className={styles.hitHead}>
        <Icon size={15} aria-hidden="true" />
        <strong>
          <Text>{hit.title || hit.scratch_id || hit.author || kind}</Text>
        </strong>
        <span className="soft small">{kind}</span>
        {hit.language && <Badge tone="calm">{hit.language}</Badge>}
        {hit.namespace && (
          <span className="soft small">
            in <Text>{hit.namespace}</Text>
          </span>
        )}
        {hit.session_id && (
          <span className="soft small">
            session <Text>{hit.session_id}</Text>
          </span>
        )}
        {hit.byMeaning && (
          <Badge tone="mark" title="It has none of the words, but means something like them">
            By meaning
          </Badge>
        )}
      </span>
      <span className={styles.snippet} dir="auto">
        {aroundFirst(marked(hit.snippet.replace(/\n\s*\n/g, "\n"), text)).map(([piece, found], index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          found ? <mark key={index}>{piece}</mark> : <span key={index}>{piece}</span>,
        )}
      </span>
    </Link>
  );
}
