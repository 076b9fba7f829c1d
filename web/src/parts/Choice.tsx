import styles from "@/parts/choice.module.css";

export interface Option<Id extends string> {
  id: Id;
  title: string;
  count?: number;
}

/** A few ways to look at a list, of which one is chosen. */
export function Choice<Id extends string>({
  label,
  options,
  chosen,
  choose,
}: {
  label: string;
  options: Option<Id>[];
  chosen: Id;
  choose: (id: Id) => void;
}) {
  return (
    <fieldset className={styles.choice}>
      <legend className="hidden-but-read">{label}</legend>
      {options.map((option) => (
        <button key={option.id} type="button" aria-pressed={option.id === chosen} onClick={() => choose(option.id)}>
          {option.title}
          {option.count !== undefined && <span className={styles.count}>{option.count}</span>}
        </button>
      ))}
    </fieldset>
  );
}
