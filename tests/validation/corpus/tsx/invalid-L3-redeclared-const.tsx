export function Box() {
  const size = 1;
  const size = 2;
  return <p>{size}</p>;
}
