import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Router } from "wouter";
import { ApiError, onSignedOut } from "@/api/client";
import { useMe } from "@/api/me";
import { newQueryClient } from "@/api/queries";
import { EventStreamProvider } from "@/live/EventStreamProvider";
import { Loading, Problem } from "@/parts/Notice";
import { Toasts } from "@/parts/Toasts";
import { Frame } from "@/shell/Frame";
import { SignedOut } from "@/shell/SignedOut";
import "@/shell/shell.css";

export function App() {
  const [queries] = useState(newQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <Toasts>
        <Router>
          <Console />
        </Router>
      </Toasts>
    </QueryClientProvider>
  );
}

function Console() {
  const [signedOut, setSignedOut] = useState(false);
  const me = useMe();
  useEffect(() => onSignedOut(() => setSignedOut(true)), []);
  if (signedOut || (me.error instanceof ApiError && me.error.status === 401)) return <SignedOut auth={me.data?.auth} />;
  if (me.data) {
    return (
      <EventStreamProvider onSignedOut={() => setSignedOut(true)}>
        <Frame me={me.data} />
      </EventStreamProvider>
    );
  }
  return (
    <main className="alone">
      {me.error ? <Problem of={me.error} again={() => void me.refetch()} /> : <Loading what="the console" />}
    </main>
  );
}
