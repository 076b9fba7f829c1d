export const Field = () => (
  <input value={} onChange={() => {}} />
);
