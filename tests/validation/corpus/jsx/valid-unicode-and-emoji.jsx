const Größe = ({ 値 }) => <p>Größe: {値} 🎉 «naïve» — ok</p>;

export default function App() {
  return <Größe 値="大" data-emoji="👍" />;
}
