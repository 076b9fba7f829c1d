/** Where the object of a record is shown. The id is the part behind the colon, or nothing. */
type ObjectAddress = (id: string, session: string) => string;

const IN_SESSION: Record<string, string> = {
  note: "notes",
  message: "messages",
  section: "draft",
  task: "plan",
  question: "questions",
  notes: "notes",
  messages: "messages",
  draft: "draft",
  plan: "plan",
  tasks: "plan",
  questions: "questions",
};
const ELSEWHERE: Record<string, ObjectAddress> = {
  decision: (id) => `/decisions/${id}`,
  call: (id) => `/gateway/calls/${id}`,
  scratchpad: (id) => `/notebooks/pad/${id}`,
  session: (id) => `/sessions/${id}`,
};

/** The address of what a record is about, such as `note:n7`; null where there is no page for it. */
export function addressOfObject(object: string, session: string | null | undefined): string | null {
  const [kind = "", ...rest] = object.split(":");
  const id = encodeURIComponent(rest.join(":"));
  const elsewhere = ELSEWHERE[kind];
  if (elsewhere) return id ? elsewhere(id, session ?? "") : null;
  const part = IN_SESSION[kind];
  if (!part || !session) return null;
  const base = `/sessions/${encodeURIComponent(session)}/${part}`;
  return id ? `${base}/${id}` : base;
}
