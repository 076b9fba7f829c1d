import { memo, type ReactNode } from "react";
import Renderer, { type Components, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import { Code } from "@/parts/Code";
import { ErrorBoundary } from "@/parts/ErrorBoundary";
import { ExternalLink } from "@/parts/ExternalLink";
import { remarkGfm } from "@/parts/gfm";
import { nameOf, Text } from "@/parts/Text";

type Plugins = NonNullable<Options["rehypePlugins"]>;

/** Characters that turn the order of those after them around. People who write from right to left do not need them. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

function spellOut(node: { value?: unknown; children?: object[] }): void {
  if (typeof node.value === "string") node.value = node.value.replace(TURNING, nameOf);
  node.children?.forEach(spellOut);
}

const plugins: Plugins = [
  () => spellOut,
  [rehypeSanitize, { ...defaultSchema, attributes: { ...defaultSchema.attributes } }],
];

/** Their headings stand under ours: a page has one first heading, and it is not an agent's. */
function heading(level: number): (props: { children?: ReactNode }) => ReactNode {
  const Tag = (["h3", "h4", "h5", "h6"] as const)[Math.min(level, 4) - 1] ?? "h6";
  return ({ children }) => <Tag data-level={level}>{children}</Tag>;
}

/** Agents' pictures are named, not fetched: fetching one would tell its server who looked. */
const components: Components = {
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ alt, src }) => (
    <span className="picture">
      Picture: {alt || "without a description"}
      {typeof src === "string" && src && (
        <>
          {" "}
          <ExternalLink href={src}>open</ExternalLink>
        </>
      )}
    </span>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <table tabIndex={0}>{children}</table>
  ),
  pre: ({ node }) => {
    const code = node?.children[0];
    if (code?.type !== "element") return null;
    const names = Array.isArray(code.properties.className) ? code.properties.className.map(String) : [];
    const language = names.find((name) => name.startsWith("language-"))?.slice(9) ?? "txt";
    const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
    return <Code language={language} text={text.replace(/\n$/, "")} />;
  },
};

/** Deeper than anybody writes. Thousands of quotes in quotes would exhaust the stack and take the page down. */
const DEEPEST = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m;

/** Text of an agent, rendered: no HTML of theirs, no address that runs, no request that leaves. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const plain = <Text>{text}</Text>;
  return (
    <div className="markdown" dir="auto">
      {DEEPEST.test(text) ? (
        plain
      ) : (
        <ErrorBoundary of={text} instead={() => plain}>
          <Renderer remarkPlugins={[remarkGfm]} rehypePlugins={plugins} components={components}>
            {text}
          </Renderer>
        </ErrorBoundary>
      )}
    </div>
  );
});
