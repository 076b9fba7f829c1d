export default function Page({ load }: { load: () => Promise<string> }) {
  const text = await load();
  return <p>{text}</p>;
}
