import { use, useEffect, useRef, Suspense } from "react";

export function Profile({ promise }) {
  const user = use(promise);
  const ref = useRef(null);
  useEffect(() => {
    let alive = true;
    (async () => {
      for await (const x of user?.feed ?? []) if (alive) ref.current?.append(x);
    })();
    return () => { alive = false; };
  }, [user]);
  return <Suspense fallback={<em>loading…</em>}><div ref={ref}>{user.name}</div></Suspense>;
}
