export default function App() {
  return (
    <main className="page">
      <h1>Title</h1>
      <ul
