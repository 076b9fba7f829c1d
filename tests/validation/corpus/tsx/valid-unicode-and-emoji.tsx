type Größe = "klein" | "groß";

export function Étiquette({ taille }: { taille: Größe }) {
  return <span lang="de">Größe: {taille} 🎉 日本語</span>;
}
