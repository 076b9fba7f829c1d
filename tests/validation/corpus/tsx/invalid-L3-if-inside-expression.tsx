export const Maybe = ({ on }: { on: boolean }) => (
  <div>
    {if (on) { "yes" }}
  </div>
);
