import { LogIn } from "lucide-react";
import { Button } from "@/parts/Button";
import { Empty } from "@/parts/Notice";

/** Shown when the login is over: nothing of the team stays on the screen. The address stays, to come back to. */
export function SignedOut({ auth }: { auth: string | undefined }) {
  return (
    <main className="alone">
      <Empty icon={<LogIn size={28} aria-hidden="true" />} title="You are signed out">
        {auth === "off" ? (
          <p>
            This login is over. Run <code>longtable console</code> on the machine of the server and open the link that
            it prints.
          </p>
        ) : (
          <p>This login is over, or its token was revoked. Sign in again to go on.</p>
        )}
        <Button kind="main" onClick={() => window.location.reload()}>
          Sign in
        </Button>
      </Empty>
    </main>
  );
}
