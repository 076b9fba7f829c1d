import { useId } from "react";
import { useAgents } from "@/pages/table/checklist/data";

/** Suggests the agents of the session; any other name can be typed. */
export function AgentInput({ id, value, change }: { id: string; value: string; change: (name: string) => void }) {
  const agents = useAgents(id);
  const field = useId();
  return (
    <div>
      <label htmlFor={field}>Assigned to</label>
      <input
        id={field}
        type="text"
        value={value}
        placeholder="Anyone"
        list={`${field}-agents`}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
      <datalist id={`${field}-agents`}>
        {agents.map((agent) => (
          <option key={agent} value={agent} />
        ))}
      </datalist>
    </div>
  );
}
