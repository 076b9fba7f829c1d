export const Pair = () => (
  <>
    <b>1</b>
    <b>2</b>
);
