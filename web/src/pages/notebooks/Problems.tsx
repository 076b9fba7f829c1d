import { useState } from "react";
import { FindingButton } from "@/pages/notebooks/CellView";
import type { Pad } from "@/pages/notebooks/data";
import { findingsOf, type Result } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/pad.module.css";
import { Button } from "@/parts/Button";

const STEP = 10;

/** Everything that a check of all cells found. Each leads to its line. */
export function Problems({
  pad,
  results,
  show,
}: {
  pad: Pad;
  results: Map<string, Result>;
  show: (cellId: string, line: number) => void;
}) {
  const [most, setMost] = useState(STEP);
  const found = pad.outline.flatMap((cell) =>
    findingsOf(results.get(cell.cell_id)).map((finding) => ({ cell, finding })),
  );
  if (found.length === 0) return null;
  return (
    <>
      <ul className={`plain-list ${styles.findings}`} aria-label="What was found">
        {found.slice(0, most).map(({ cell, finding }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are replaced as a whole
          <li key={index}>
            <FindingButton
              finding={finding}
              before={`cell ${cell.index + 1}, `}
              jump={() => show(cell.cell_id, finding.line)}
            />
          </li>
        ))}
      </ul>
      {found.length > most && (
        <div>
          <Button small onClick={() => setMost((before) => before + 10 * STEP)}>
            Show more of {found.length.toLocaleString("en")}
          </Button>
        </div>
      )}
    </>
  );
}
