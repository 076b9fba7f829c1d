type ListProps<T> = { items: readonly T[]; render: (item: T) => JSX.Element };

export const List = <T,>({ items, render }: ListProps<T>) => <ul>{items.map(render)}</ul>;
export const Other = <T extends { id: string }>(props: { value: T }) => <p>{props.value.id}</p>;
export function Select<T extends string>({ value }: { value: T }) {
  return <select defaultValue={value as string}>{value}</select>;
}
export const use = <List<number> items={[1, 2]} render={(n) => <li key={n}>{n}</li>} />;
