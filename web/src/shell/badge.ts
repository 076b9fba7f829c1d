/** The number of open decisions, where people see it without looking at the page: in the title and the icon. */
export function showCount(count: number, title: string): void {
  document.title = `${count > 0 ? `(${count}) ` : ""}${title} · Longtable`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(iconWith(count))}` : "/favicon.svg";
}

export function iconWith(count: number): string {
  const text = count > 9 ? "9+" : String(count);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#8a4b2a"/>' +
    '<path d="M5 12h22M8 12v11M24 12v11" stroke="#fbfaf8" stroke-width="3" stroke-linecap="round" fill="none"/>' +
    '<circle cx="22" cy="22" r="10" fill="#c22a2f"/>' +
    `<text x="22" y="27" font-family="sans-serif" font-size="14" font-weight="700" fill="#fff" text-anchor="middle">${text}</text></svg>`
  );
}
