export const Card = ({ title }: { title: string }) => (
  <div>
    <h1>{title}</h2>
  </div>
);
