import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type CellActs, CellView, type Target } from "@/pages/notebooks/CellView";
import type { Checking } from "@/pages/notebooks/checking";
import type { ListedCell, Pad } from "@/pages/notebooks/data";
import { Rows } from "@/parts/Rows";

/** So few are all in the page, so that the browser's own search finds them. */
const FEW = 30;

interface Props {
  pad: Pad;
  checking: Checking;
  target: Target | undefined;
  acts: CellActs;
}

/** The cells in order. Of many only those in sight are in the page; the page itself scrolls. */
export function Cells({ pad, checking, target, acts }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const above = useHeightAbove(box);
  const { outline } = pad;
  const list = useWindowVirtualizer({
    count: outline.length,
    estimateSize: () => 200,
    getItemKey: (index) => outline[index]?.cell_id ?? index,
    gap: 16,
    overscan: 2,
    scrollMargin: above,
    rangeExtractor: (range) =>
      range.count <= FEW ? Array.from({ length: range.count }, (_, index) => index) : defaultRangeExtractor(range),
  });
  const newest = useRef(outline);
  newest.current = outline;
  useEffect(() => {
    const index = target ? newest.current.findIndex((cell) => cell.cell_id === target.cellId) : -1;
    if (index >= 0) list.scrollToIndex(index, { align: "start" });
  }, [target, list]);
  return (
    <Rows list={list} items={outline} top={above} label="Cells" box={box}>
      {(listed: ListedCell | undefined, index) =>
        listed && (
          <CellView
            pad={pad}
            index={index}
            listed={listed}
            checking={checking}
            target={target?.cellId === listed.cell_id ? target : undefined}
            acts={acts}
          />
        )
      }
    </Rows>
  );
}

/** How far below the top of the page the list begins, also after something above it has grown. */
function useHeightAbove(box: RefObject<HTMLElement | null>): number {
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setAbove(Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    const watch = new ResizeObserver(measure);
    const before = box.current?.parentElement?.children ?? [];
    for (const element of before) if (element !== box.current) watch.observe(element);
    watch.observe(document.documentElement);
    return () => watch.disconnect();
  }, [box]);
  return above;
}
