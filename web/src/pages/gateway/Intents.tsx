import { MessageCircleQuestion } from "lucide-react";
import { useId } from "react";
import { OutcomeBadge } from "@/pages/gateway/Calls";
import { byConversation, type Conversation } from "@/pages/gateway/conversations";
import { type Intent, useIntents } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { duration } from "@/pages/gateway/words";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";
import { SessionLink } from "@/parts/SessionLink";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

export function Intents() {
  const intents = useIntents();
  return (
    <div className="stack">
      <p className="soft small">What people wanted, and the calls that it led to.</p>
      <Loaded query={intents} what="the intents">
        {({ pages }) => <Conversations all={byConversation(pages.flatMap((page) => page.intents))} />}
      </Loaded>
      {intents.hasNextPage && (
        <div>
          <Button busy={intents.isFetchingNextPage} onClick={() => void intents.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

function Conversations({ all }: { all: Conversation[] }) {
  if (all.length === 0) {
    return (
      <Empty icon={<MessageCircleQuestion size={28} aria-hidden="true" />} title="No intents yet">
        <p>
          An agent that sends <code>_context</code> with a call says what it is for: the message that it answers, and
          the conversation. It is kept here beside the call.
        </p>
      </Empty>
    );
  }
  return (
    <ul className="plain-list stack" aria-label="Conversations">
      {all.map((conversation) => (
        <li key={conversation.id}>
          <ConversationCard conversation={conversation} />
        </li>
      ))}
    </ul>
  );
}

function ConversationCard({ conversation }: { conversation: Conversation }) {
  const title = useId();
  const first = conversation.intents[0];
  return (
    <article className="card stack" aria-labelledby={title}>
      <div className="row">
        <h2 id={title}>
          <Text>{conversation.id}</Text>
        </h2>
        {first && (
          <span className="soft small">
            <Text>{first.surface_user_id}</Text> on <Text>{first.surface_type}</Text>
          </span>
        )}
      </div>
      {conversation.intents.map((intent) => (
        <IntentPart key={intent.intent_id} intent={intent} />
      ))}
    </article>
  );
}

function IntentPart({ intent }: { intent: Intent }) {
  return (
    <div className={`stack ${styles.intent}`}>
      <blockquote className={styles.said} dir="auto">
        {intent.original_message || "Without words."}
      </blockquote>
      <p className="row soft small">
        {intent.intent_hint && (
          <Badge tone="mark">
            <Text>{intent.intent_hint}</Text>
          </Badge>
        )}
        <span>
          <Text>{intent.agent}</Text>, <Time at={intent.created_at} />
        </span>
        {intent.session_id && <SessionLink id={intent.session_id} purpose={intent.purpose} />}
      </p>
      {intent.calls.length === 0 ? (
        <p className="soft small">It led to no call.</p>
      ) : (
        <ul className={`plain-list ${styles.led}`} aria-label="Calls that it led to">
          {intent.calls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added at the end
            <li key={index}>
              <OutcomeBadge code={call.outcome} />
              <span className="mono">
                <Text>{call.tool}</Text>
              </span>
              <span className="soft small">{duration(call.duration_ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
