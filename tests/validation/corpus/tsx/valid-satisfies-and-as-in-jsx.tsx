const theme = { colour: "red", size: 2 } as const satisfies Record<string, string | number>;

export const Styled = ({ node }: { node: unknown }) => (
  <div style={{ color: theme.colour, fontSize: theme.size as number }} data-x={(node as HTMLElement)!.id}>
    {theme.size < 3 && theme.size > 1 ? <b>mid</b> : null}
  </div>
);
