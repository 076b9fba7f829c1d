import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { memo, type ReactNode, useEffect, useState } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

/** Longer texts stay plain: colouring them would hold the page up. */
const LONGEST = 50_000;

type Highlighter = typeof import("@/parts/languages");
let highlighter: Highlighter | undefined;

/** The colours come later than the text, from a file of their own. */
export function useHighlighter(): Highlighter | undefined {
  const [ready, setReady] = useState(highlighter);
  useEffect(() => {
    if (highlighter) return;
    let shown = true;
    void import("@/parts/languages").then((loaded) => {
      highlighter = loaded;
      if (shown) setReady(loaded);
    });
    return () => {
      shown = false;
    };
  }, []);
  return ready;
}

function useColoured(text: string, language: string): ReactNode {
  const colours = useHighlighter();
  if (!colours || text.length > LONGEST || !colours.lowlight.registered(language)) return text;
  return toJsxRuntime(colours.lowlight.highlight(language, text), { Fragment, jsx, jsxs });
}

export const Code = memo(function Code({ text, language = "txt" }: { text: string; language?: string }) {
  const coloured = useColoured(text, language);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="code" tabIndex={0}>
      <code dir="ltr">{coloured}</code>
    </pre>
  );
});
