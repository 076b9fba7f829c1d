import { useRef, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { useLiveEvents } from "@/live/EventStreamProvider";
import type { LiveEvent } from "@/live/event";

const KEY = "longtable-desktop-notices";
/** What is older was missed while the page was away, and is in the inbox. */
const FRESH = 300_000;
const MOST = 3;
const WITHIN = 10_000;
const watchers = new Set<() => void>();

export type NoticeState = "on" | "off" | "denied" | "unsupported";

/** What a notice says. `tag` makes the same notice of several tabs one. */
export interface DesktopNotice {
  title: string;
  body: string;
  tag: string;
  path: string;
}

export function noticeState(): NoticeState {
  if (typeof Notification === "undefined" || !window.isSecureContext) return "unsupported";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Asks the browser, which asks the person: only after a click. */
export async function switchOn(): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on");
  for (const watcher of watchers) watcher();
}

export function switchOff(): void {
  localStorage.removeItem(KEY);
  for (const watcher of watchers) watcher();
}

export function useNoticeState(): NoticeState {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, noticeState);
}

/** The notice for an event that waits for a person: never what is asked. */
export function noticeOf(event: LiveEvent): DesktopNotice | undefined {
  const session = `/sessions/${encodeURIComponent(event.session_id ?? "")}`;
  const body = `From ${event.actor}`;
  const tag = `longtable-${event.seq}`;
  if (event.kind === "scratchpad/question_added" && event.blocking === true)
    return { title: "A question waits for an answer", body, tag, path: `${session}/questions/${event.question_id}` };
  if (event.kind === "gateway/approval_requested")
    return { title: "A call waits for approval", body, tag, path: `/inbox/approval/${event.decision_id}` };
  if (event.kind === "scratchpad/checklist_updated" && event.new_status === "failed")
    return { title: "A task has failed", body, tag, path: `${session}/plan/${event.item_id}` };
  return undefined;
}

/** Many in a short time become one. `times` are the moments of those that were shown. */
export function digested(notice: DesktopNotice, times: number[], now: number): DesktopNotice {
  const recent = times.filter((time) => now - time < WITHIN);
  times.splice(0, times.length, ...recent, now);
  if (recent.length < MOST) return notice;
  return { title: "Several things wait", body: "Open the inbox", tag: "longtable-many", path: "/inbox" };
}

/** Shows what waits as notices of the desktop, where somebody has switched that on in this browser. */
export function useDesktopNotices(): void {
  const [, go] = useLocation();
  const times = useRef<number[]>([]);
  useLiveEvents((event) => {
    if (noticeState() !== "on" || Date.now() - Date.parse(event.timestamp) > FRESH) return;
    const notice = noticeOf(event);
    if (notice) show(digested(notice, times.current, Date.now()), go);
  });
}

function show(notice: DesktopNotice, go: (path: string) => void): void {
  try {
    const shown = new Notification(notice.title, { body: notice.body, tag: notice.tag, icon: "/icon-192.png" });
    shown.onclick = () => {
      window.focus();
      go(notice.path);
      shown.close();
    };
  } catch {
    // Phones show notices only for service workers, which there are none of here.
  }
}
