import { useEffect, useRef } from "react";
import styles from "@/pages/connect/connect.module.css";
import type { CreatedToken } from "@/pages/connect/data";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Text } from "@/parts/Text";

/** The one time that a secret is seen. */
export function Secret({ made, done }: { made: CreatedToken; done: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const person = made.token.role === "human" || made.token.role === "owner";
  return (
    <section className={`card stack ${styles.secret}`} aria-labelledby="secret">
      <h3 id="secret" ref={heading} tabIndex={-1}>
        The token <Text>{made.token.name}</Text> is made
      </h3>
      <div className={styles.shown}>
        <code>{made.secret}</code>
        <Copy text={made.secret} label="Copy the token" />
      </div>
      <p>
        <strong>It is shown only now.</strong> The server keeps a hash of it and cannot show it again: copy it to where
        it will be used, and give it to nobody else.
      </p>
      <p className="small soft">
        {person
          ? "A person pastes it into the sign-in page of this console. It is not meant for the programs above, so it is not in the snippets."
          : "It stands in the snippets above, until you leave this page."}
      </p>
      {made.note && <p className="small soft">{made.note}</p>}
      <div>
        <Button onClick={done}>I have copied it</Button>
      </div>
    </section>
  );
}
