interfce Props {
  title: string;
}
export const Title = (p: Props) => <h1>{p.title}</h1>;
