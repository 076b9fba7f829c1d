import { Suspense, useEffect, useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import type { Me } from "@/api/me";
import { useInbox } from "@/pages/inbox/data";
import { ErrorBoundary } from "@/parts/ErrorBoundary";
import { lazily } from "@/parts/lazily";
import { Empty, Loading, Problem } from "@/parts/Notice";
import { showCount } from "@/shell/badge";
import { Connection } from "@/shell/Connection";
import { useDesktopNotices } from "@/shell/desktopNotices";
import { KeyHelp, useKeys } from "@/shell/Keys";
import { Notices } from "@/shell/Notices";
import { DecisionPage, isAt, pages, Table } from "@/shell/pages";
import type { PaletteEntry } from "@/shell/palette/entries";
import { useLeave, useNextTheme, WhoAmI } from "@/shell/WhoAmI";

const Palette = lazily(() => import("@/shell/palette/Palette"));

/** The menu around every page. */
export function Frame({ me }: { me: Me }) {
  const [location] = useLocation();
  const waiting = useInbox().awake.length;
  const here = pages.find((page) => isAt(page, location));
  const [helping, setHelping] = useState(false);
  const [finding, setFinding] = useState(false);
  const help = () => setHelping(true);
  const actions = useActions(me, help);
  useKeys(help, () => setFinding(true));
  useDesktopNotices();
  useEffect(() => showCount(waiting, here?.title ?? "Longtable"), [waiting, here]);
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to the content
      </button>
      <header className="side">
        <Link href="/" className="name">
          <Mark /> Longtable
        </Link>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <Link key={page.path} href={page.path} aria-current={isAt(page, location) ? "page" : undefined}>
              <page.icon size={18} aria-hidden="true" />
              <span>{page.title}</span>
              {page.path === "/inbox" && waiting > 0 && (
                <span className="count">
                  {waiting}
                  <span className="hidden-but-read"> waiting</span>
                </span>
              )}
            </Link>
          ))}
        </nav>
        <WhoAmI me={me} help={help} find={() => setFinding(true)} />
      </header>
      <main id="content" tabIndex={-1}>
        <Connection />
        <Notices me={me} />
        <ErrorBoundary of={location} instead={(error) => <Problem of={error} again={() => window.location.reload()} />}>
          <Suspense fallback={<Loading what="the page" />}>
            <Switch>
              <Route path="/sessions/:id/*?">{(params) => <Table key={params.id} id={params.id} />}</Route>
              <Route path="/decisions/:id">{(params) => <DecisionPage id={params.id} />}</Route>
              {pages.map((page) => (
                <Route key={page.path} path={page.deep ? `${page.path}/*?` : page.path} component={page.page} />
              ))}
              {pages.map((page) => page.also && <Route key={page.also} path={page.also} component={page.page} />)}
              <Route>
                <Empty title="There is no such page">
                  <Link href="/inbox">Go to the inbox</Link>
                </Empty>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <KeyHelp open={helping} close={() => setHelping(false)} />
      {finding && (
        <Suspense fallback={null}>
          <Palette close={() => setFinding(false)} actions={actions} />
        </Suspense>
      )}
    </div>
  );
}

/** What can be done from every page. */
function useActions(me: Me, help: () => void): PaletteEntry[] {
  const [, go] = useLocation();
  const leave = useLeave();
  const [theme, change] = useNextTheme();
  const owner = me.role === "owner";
  return [
    ...(owner ? [{ id: "new session", title: "New session", act: () => go("/sessions?new") }] : []),
    { id: "colours", title: `Colours: ${theme}`, about: "theme", act: change },
    { id: "keys", title: "Show the keys", about: "?", act: help },
    { id: "sign out", title: "Sign out", act: () => void leave() },
  ];
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--mark)" />
      <path d="M5 12h22M8 12v11M24 12v11" stroke="var(--on-mark)" strokeWidth="3" strokeLinecap="round" fill="none" />
    </svg>
  );
}
