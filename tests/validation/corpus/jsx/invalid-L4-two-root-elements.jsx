export function App() {
  return (
    <h1>Title</h1>
    <p>Text</p>
  );
}
