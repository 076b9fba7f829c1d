import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "@/api/client";
import type { Me } from "@/api/me";
import { keys } from "@/api/queries";
import { Button } from "@/parts/Button";
import { Problem } from "@/parts/Notice";
import { Time } from "@/parts/Time";

/** What an owner should know, until one of them says that they have seen it. */
export function Notices({ me }: { me: Me }) {
  return me.notices.map(({ notice, since }) => <Unseen key={notice} notice={notice} since={since} />);
}

function Unseen({ notice, since }: Me["notices"][number]) {
  const queries = useQueryClient();
  const seen = useMutation({
    mutationFn: () => unwrap(client.POST("/me/notices/{notice}/seen", { params: { path: { notice } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.me }),
  });
  return (
    <section className="notice-banner" aria-label="A human secret was set">
      <p>
        <strong>A human secret was set</strong> <Time at={since} />. Who knows it acts as a person in a terminal. If
        none of you set it, replace it.
      </p>
      <Button busy={seen.isPending} onClick={() => seen.mutate()}>
        I have seen it
      </Button>
      {seen.error && <Problem of={seen.error} />}
    </section>
  );
}
