import { Link } from "wouter";
import { Text } from "@/parts/Text";

/** A link to a session, by its purpose where it has one. */
export function SessionLink({ id, purpose }: { id: string; purpose?: string | null | undefined }) {
  return (
    <Link href={`/sessions/${encodeURIComponent(id)}`}>
      <Text>{purpose || id}</Text>
    </Link>
  );
}
