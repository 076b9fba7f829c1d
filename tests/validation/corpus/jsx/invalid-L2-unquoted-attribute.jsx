export const Box = () => (
  <div className=box>
    text
  </div>
);
