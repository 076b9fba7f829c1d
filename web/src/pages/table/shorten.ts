const FENCE = /^\s{0,3}(`{3,}|~{3,})/;

/** The beginning of a long Markdown text, cut between words, with a block of code that was cut open closed again. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest);
  const space = Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n"));
  const whole = cut.slice(0, space > longest * 0.6 ? space : longest).replace(/[\uD800-\uDBFF]$/, "");
  const open = openFence(whole);
  return open ? `${whole}\n${open}` : `${whole.trimEnd()} …`;
}

function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (!mark) continue;
    if (open === null) open = mark;
    else if (mark.startsWith(open)) open = null;
  }
  return open;
}
