export function Progress({ value, label }: { value: number; label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div className="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span>{percent} %</span>
    </div>
  );
}
