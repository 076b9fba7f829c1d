const first = <T>(items: readonly T[]): T | undefined => items[0];

export const Show = ({ items }: { items: string[] }) => <p>{first(items)}</p>;
