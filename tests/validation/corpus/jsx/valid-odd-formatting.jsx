const A = () => <
  div
  className
  =
  "a"
  >
  text
</
  div
>;
const B = <A></A>, C = [<A key="1" />, <A key="2"/>]; export { B, C }
