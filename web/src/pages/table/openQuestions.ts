/** How many questions wait, as a sentence, or in a few words where space is short. */
export function openQuestionsText(open: number, blocking: number, brief: boolean): string {
  const wait = open === 1 ? "1 question waits" : `${open} questions wait`;
  if (brief) return `${wait}${blocking === 0 ? "" : `, ${blocking === open ? "" : `${blocking} `}blocking`}`;
  if (blocking === 0) return `${wait} for an answer.`;
  if (blocking === open) return `${wait} for an answer, and work stands still.`;
  return `${wait} for an answer, ${blocking} of them ${blocking === 1 ? "blocks" : "block"} the work.`;
}
