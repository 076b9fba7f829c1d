import {
  Activity,
  Bell,
  Coins,
  Inbox,
  type LucideIcon,
  NotebookText,
  Plug,
  ScrollText,
  Table2,
  Waypoints,
} from "lucide-react";
import type { ComponentType } from "react";
import { lazily } from "@/parts/lazily";

export interface ConsolePage {
  path: string;
  /** Another path of the same page. */
  also?: string;
  /** Everything under the path belongs to it too. */
  deep?: boolean;
  /** What lies under this path is shown by other pages, and belongs to this one in the menu. */
  holds?: string;
  title: string;
  key: string;
  icon: LucideIcon;
  page: ComponentType;
}

/** The pages, in the order of the menu. `key` goes there after a `g`. */
export const pages: ConsolePage[] = [
  { path: "/", also: "/now", title: "Now", key: "o", icon: Activity, page: lazily(() => import("@/pages/now/Now")) },
  {
    path: "/inbox",
    deep: true,
    holds: "/decisions",
    title: "Inbox",
    key: "i",
    icon: Inbox,
    page: lazily(() => import("@/pages/inbox/Inbox")),
  },
  {
    path: "/sessions",
    deep: true,
    title: "Sessions",
    key: "s",
    icon: Table2,
    page: lazily(() => import("@/pages/sessions/Sessions")),
  },
  {
    path: "/notebooks",
    also: "/search",
    deep: true,
    title: "Notebooks",
    key: "n",
    icon: NotebookText,
    page: lazily(() => import("@/pages/notebooks/Notebooks")),
  },
  {
    path: "/gateway",
    deep: true,
    title: "Gateway",
    key: "w",
    icon: Waypoints,
    page: lazily(() => import("@/pages/gateway/Gateway")),
  },
  {
    path: "/costs",
    also: "/usage",
    title: "Costs",
    key: "u",
    icon: Coins,
    page: lazily(() => import("@/pages/costs/Costs")),
  },
  {
    path: "/audit",
    deep: true,
    title: "Audit",
    key: "a",
    icon: ScrollText,
    page: lazily(() => import("@/pages/audit/Audit")),
  },
  {
    path: "/notifiers",
    title: "Notices",
    key: "t",
    icon: Bell,
    page: lazily(() => import("@/pages/notifiers/Notifiers")),
  },
  { path: "/connect", title: "Connect", key: "c", icon: Plug, page: lazily(() => import("@/pages/connect/Connect")) },
];

export const DecisionPage = lazily(() => import("@/pages/inbox/DecisionPage"));
export const Table = lazily(() => import("@/pages/table/Table"));

export function isAt(page: ConsolePage, location: string): boolean {
  return (
    location === page.path ||
    location === page.also ||
    (page.deep === true && location.startsWith(`${page.path}/`)) ||
    (page.holds !== undefined && location.startsWith(`${page.holds}/`))
  );
}
