/** The part of the notebooks page that an address shows. Ids are percent-encoded in it. */
export type Place = { at: "browse" } | { at: "trash" } | { at: "pad"; id: string; cell: string | undefined };

export function padAddress(id: string, cell?: string): string {
  const path = `/notebooks/pad/${encodeURIComponent(id)}`;
  return cell ? `${path}/${encodeURIComponent(cell)}` : path;
}

/** `path` as it stands in the address, not decoded: a decoded slash would look like the end of an id. */
export function placeOf(path: string): Place {
  const [, , section, id, cell] = path.split("/");
  if (section === "trash") return { at: "trash" };
  if (section === "pad" && id) return { at: "pad", id: decoded(id), cell: cell ? decoded(cell) : undefined };
  return { at: "browse" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
