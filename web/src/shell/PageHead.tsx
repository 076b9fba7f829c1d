import { type ReactNode, useEffect } from "react";

let atFirst = true;

/** The link or key that led here has gone with its page: the next Tab is to start in this one. */
function useFocusOnArrival(): void {
  useEffect(() => {
    if (!atFirst && document.activeElement === document.body) {
      document.getElementById("content")?.focus({ preventScroll: true });
    }
    atFirst = false;
  }, []);
}

/** Every page begins alike: what it is, what it is for, and what can be done. */
export function PageHead({ title, about, children }: { title: ReactNode; about?: ReactNode; children?: ReactNode }) {
  useFocusOnArrival();
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {about && <p>{about}</p>}
      </div>
      {children && <div className="row">{children}</div>}
    </div>
  );
}
