export function App(): JSX.Element {
  return (
    <h1>Title</h1>
    <p>Text</p>
  );
}
