import type { ReactNode } from "react";

/** Only addresses that open a page or a mail; everything else stays text. */
export function safeAddress(address: string | undefined): string | undefined {
  if (!address) return undefined;
  try {
    const parsed = new URL(address);
    return ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}

/** A link that an agent wrote: marked as leading outside, and saying where to. */
export function ExternalLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const address = safeAddress(href);
  if (!address) return <span>{children}</span>;
  return (
    <a className="outside" href={address} target="_blank" rel="noopener noreferrer nofollow ugc" title={address}>
      {children}
      <span className="hidden-but-read"> (opens another site)</span>
    </a>
  );
}
