import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { authorizationOf } from "@/pages/gateway/authorization";
import type { Upstream } from "@/pages/gateway/data";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { Text } from "@/parts/Text";
import { useErrorToast, useToast } from "@/parts/Toasts";

/** Whether an upstream that wants authorization has it; an owner gives it, or takes it back. */
export function Authorization({ upstream, owner }: { upstream: Upstream; owner: boolean }) {
  const shown = authorizationOf(upstream);
  if (shown === null) return null;
  return (
    <div className="row">
      <Badge tone={shown.tone}>{shown.state}</Badge>
      <span className="soft small">
        <Text>{shown.detail}</Text>
      </span>
      {owner && <ConnectUpstream upstream={upstream} again={shown.isConnected} />}
      {owner && shown.isConnected && <DisconnectUpstream upstream={upstream} />}
    </div>
  );
}

function ConnectUpstream({ upstream, again }: { upstream: Upstream; again: boolean }) {
  const sayProblem = useErrorToast();
  const connect = useMutation({
    mutationFn: () =>
      unwrap(client.POST("/upstreams/{upstream}/connect", { params: { path: { upstream: upstream.name } } })),
    // The browser leaves this page: it comes back by the link on the last one.
    onSuccess: ({ link }) => window.location.assign(link),
    onError: sayProblem,
  });
  return (
    <Button busy={connect.isPending} aria-label={`Connect ${upstream.name}`} onClick={() => connect.mutate()}>
      {again ? "Connect again" : "Connect"}
    </Button>
  );
}

function DisconnectUpstream({ upstream }: { upstream: Upstream }) {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const say = useToast();
  const disconnect = useMutation({
    mutationFn: () =>
      unwrap(client.POST("/upstreams/{upstream}/disconnect", { params: { path: { upstream: upstream.name } } })),
    onSuccess: ({ revoked }) => {
      setAsking(false);
      const warning = revoked ? "" : " Its authorization server has not confirmed it: look there, too.";
      say(`${upstream.name} is disconnected.${warning}`);
      return queries.invalidateQueries({ queryKey: keys.upstreams });
    },
  });
  return (
    <>
      <Button aria-label={`Disconnect ${upstream.name}`} onClick={() => setAsking(true)}>
        Disconnect
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Disconnect ${upstream.name}?`}
        about="Its tokens are deleted and revoked. Nobody can use its tools until an owner connects it again."
        action="Disconnect"
        kind="bad"
        busy={disconnect.isPending}
        problem={disconnect.error}
        act={() => disconnect.mutate()}
      />
    </>
  );
}
