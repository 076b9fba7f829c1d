import { Fragment } from "react";

/** Characters that hide or reorder what stands around them. Line breaks and tabs are not among them. */
const INVISIBLE = /((?![\n\t]|\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

/** Text as it is: invisible characters are spelled out, so that none can mislead a reader. */
export function Text({ children }: { children: string }) {
  const pieces = children.split(INVISIBLE);
  if (pieces.length === 1) return <bdi>{children}</bdi>;
  return (
    <bdi>
      {pieces.map((piece, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <span key={index} className="badge" data-tone="bad" title="An invisible character">
            {nameOf(piece)}
          </span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <Fragment key={index}>{piece}</Fragment>
        ),
      )}
    </bdi>
  );
}

export function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
