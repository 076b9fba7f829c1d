import { Confirm } from "@/parts/Confirm";
import { Diff } from "@/parts/Diff";

/** The difference that saving would make, before it makes it. */
export function ReviewRules(props: {
  open: boolean;
  close: () => void;
  before: string;
  after: string;
  busy: boolean;
  problem: unknown;
  save: () => void;
}) {
  return (
    <Confirm
      open={props.open}
      close={props.close}
      title="Save these rules?"
      about="They hold at once, for every agent of your team. Approvals that were given under other rules count no more."
      action="Save rules"
      busy={props.busy}
      problem={props.problem}
      act={props.save}
    >
      <Diff before={props.before} after={props.after} names={["Rules now", "Rules after"]} />
    </Confirm>
  );
}
