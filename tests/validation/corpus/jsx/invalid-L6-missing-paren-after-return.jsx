export function App() {
  return (
    <main>
      <p>Text</p>
    </main>
  ;
}
