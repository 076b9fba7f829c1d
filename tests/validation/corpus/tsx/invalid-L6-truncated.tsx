type Props = { title: string };

export default function App({ title }: Props) {
  return (
    <main className="page">
      <h1>{title}
