export enum Tab { Home = "home", About = "about" }

function isTab(x: string): x is Tab {
  return Object.values<string>(Tab).includes(x);
}

export function Tabs({ current }: { current: string }) {
  return isTab(current) ? <nav data-tab={current satisfies Tab}>{current}</nav> : <></>;
}
