export const Maybe = ({ on }) => (
  <div>
    {if (on) { "yes" }}
  </div>
);
